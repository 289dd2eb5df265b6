import sanitizeHtml, { type Attributes, type ChangedTag } from 'sanitize-html'
import type { MarkdownConfig } from '../../config/config.ts'
import {
  ALLOWED_ELEMENTS,
  ALLOWED_SCHEMES,
  getAllowedAttributes,
  getAllowedClasses,
  MEDIA_ELEMENTS,
  MediaRule,
  NAME_PREFIX,
  NAMING_ATTRIBUTES,
  REQUIRED_ANCESTORS,
  REQUIRED_ATTRIBUTES,
} from './html-allow-list.ts'

/** Makes HTML of any author safe to print: balanced, with allowed elements and attributes alone. */
export type SanitizeHtml = (html: string) => string

/** An element below so many others is left out, and what it holds is not: browsers nest no deeper either. */
export const MAX_HTML_DEPTH = 512
/** Elements that have no end (HTML, section 13.1.2). */
const VOID_ELEMENTS: readonly string[] = ['area', 'br', 'col', 'hr', 'img', 'input', 'source', 'track', 'wbr']
/** Attributes that keep their `=""` when they are empty. */
const WITH_EMPTY_VALUE: readonly string[] = ['alt', 'checked', 'disabled', 'href', 'src']

/** Makes a sanitizer with GitHub's allow-list, media, and what the config allows besides. */
export function createHtmlSanitizer({ allowHtml: more = {}, mediaHosts }: MarkdownConfig = {}): SanitizeHtml {
  const media = new MediaRule(mediaHosts)
  const options = {
    allowedTags: [...ALLOWED_ELEMENTS, ...(more.elements ?? [])],
    allowedAttributes: getAllowedAttributes(more),
    allowedClasses: getAllowedClasses(more),
    allowedSchemes: ALLOWED_SCHEMES.other,
    allowedSchemesByTag: { a: ALLOWED_SCHEMES.link },
    nonBooleanAttributes: [],
    allowedEmptyAttributes: WITH_EMPTY_VALUE,
    selfClosing: VOID_ELEMENTS,
    nestingLimit: MAX_HTML_DEPTH,
  }
  return (html) => {
    const open = new OpenAncestors()
    const clean = sanitizeHtml(html, {
      ...options,
      onOpenTag: (name) => open.add(name, 1),
      onCloseTag: (name) => open.add(name, -1),
      transformTags: { '*': (name, given) => change(name, given, open, media) },
    })
    // Void elements end as those of XHTML do, and nothing else looks like it: `>` is escaped in texts and values.
    return clean.replaceAll(' />', '>')
  }
}

function change(name: string, given: Attributes, open: OpenAncestors, media: MediaRule): ChangedTag {
  const isAllowed = open.allow(name) && media.apply(name, given, open.isInMedia)
  // An element without a name is not allowed.
  const tagName = isAllowed ? name : ''
  for (const key of Object.keys(given)) {
    // The page around it has names of its own.
    if (NAMING_ATTRIBUTES.has(key)) given[key] = (given[key] ?? '').replace(/\S+/g, withPrefix)
    if (key === 'srcset' && !isSrcset(given[key] ?? '')) delete given[key]
  }
  const required = REQUIRED_ATTRIBUTES.get(name)
  return { tagName, attribs: required ? { ...given, ...required } : given }
}

const withPrefix = (name: string): string => (name.startsWith(NAME_PREFIX) ? name : `${NAME_PREFIX}${name}`)

/** An address in `srcset`, perhaps with a width or a density. */
const CANDIDATE = /^\s*\S+(?:\s+(?:[1-9]\d*w|\d+(?:\.\d+)?x))?\s*$/
/** Others are left out: the sanitizer's parser prints what it does not understand. */
const isSrcset = (value: string): boolean => value.split(',').every((one) => CANDIDATE.test(one))

/** Counts the open elements that others must stand in. */
class OpenAncestors {
  readonly #counts = new Map([...[...REQUIRED_ANCESTORS.values()].flat(), ...MEDIA_ELEMENTS].map((name) => [name, 0]))

  add(name: string, difference: 1 | -1): void {
    const count = this.#counts.get(name)
    if (count !== undefined) this.#counts.set(name, count + difference)
  }

  allow(name: string): boolean {
    return REQUIRED_ANCESTORS.get(name)?.some((one) => this.#isOpen(one)) ?? true
  }

  get isInMedia(): boolean {
    return MEDIA_ELEMENTS.some((name) => this.#isOpen(name))
  }

  #isOpen(name: string): boolean {
    return (this.#counts.get(name) ?? 0) > 0
  }
}
