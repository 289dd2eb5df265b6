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

/** Makes HTML of any author safe: balanced, with only allowed elements and attributes. */
export type SanitizeHtml = (html: string) => string

/** The depth below which elements are removed and their content is kept; browsers do not nest deeper, either. */
export const MAX_HTML_DEPTH = 512
/** Elements without an end tag (HTML, section 13.1.2). */
const VOID_ELEMENTS: readonly string[] = ['area', 'br', 'col', 'hr', 'img', 'input', 'source', 'track', 'wbr']
/** Attributes that keep `=""` if they are empty. */
const ATTRIBUTES_WITH_EMPTY_VALUE: readonly string[] = ['alt', 'checked', 'disabled', 'href', 'src']

/** Creates a sanitizer with GitHub's allow-list, media, and the additions of the config. */
export function createHtmlSanitizer({ allowHtml: additions = {}, mediaHosts }: MarkdownConfig = {}): SanitizeHtml {
  const media = new MediaRule(mediaHosts)
  const options = {
    allowedTags: [...ALLOWED_ELEMENTS, ...(additions.elements ?? [])],
    allowedAttributes: getAllowedAttributes(additions),
    allowedClasses: getAllowedClasses(additions),
    allowedSchemes: ALLOWED_SCHEMES.other,
    allowedSchemesByTag: { a: ALLOWED_SCHEMES.link },
    nonBooleanAttributes: [],
    allowedEmptyAttributes: ATTRIBUTES_WITH_EMPTY_VALUE,
    selfClosing: VOID_ELEMENTS,
    nestingLimit: MAX_HTML_DEPTH,
  }
  return (html) => {
    const ancestors = new OpenAncestors()
    const clean = sanitizeHtml(html, {
      ...options,
      onOpenTag: (name) => ancestors.add(name, 1),
      onCloseTag: (name) => ancestors.add(name, -1),
      transformTags: { '*': (name, attributes) => transformElement(name, attributes, ancestors, media) },
    })
    // Void elements are printed as in XHTML. Nothing else contains ` />`, since `>` is escaped in texts and values.
    return clean.replaceAll(' />', '>')
  }
}

function transformElement(
  name: string,
  attributes: Attributes,
  ancestors: OpenAncestors,
  media: MediaRule,
): ChangedTag {
  const isAllowed = ancestors.allow(name) && media.apply(name, attributes, ancestors.isInMedia)
  // The sanitizer removes an element without a name.
  const tagName = isAllowed ? name : ''
  for (const key of Object.keys(attributes)) {
    // Names must not collide with those of the surrounding page.
    if (NAMING_ATTRIBUTES.has(key)) attributes[key] = (attributes[key] ?? '').replace(/\S+/g, addPrefix)
    if (key === 'srcset' && !isSrcset(attributes[key] ?? '')) delete attributes[key]
  }
  const required = REQUIRED_ATTRIBUTES.get(name)
  return { tagName, attribs: required ? { ...attributes, ...required } : attributes }
}

const addPrefix = (name: string): string => (name.startsWith(NAME_PREFIX) ? name : `${NAME_PREFIX}${name}`)

/** Matches an address in `srcset` with an optional width or density. */
const CANDIDATE = /^\s*\S+(?:\s+(?:[1-9]\d*w|\d+(?:\.\d+)?x))?\s*$/
/** Invalid values are removed, because the sanitizer's parser would print them unchanged. */
const isSrcset = (value: string): boolean => value.split(',').every((candidate) => CANDIDATE.test(candidate))

/** Counts the open elements that others need as ancestors. */
class OpenAncestors {
  readonly #counts = new Map([...[...REQUIRED_ANCESTORS.values()].flat(), ...MEDIA_ELEMENTS].map((name) => [name, 0]))

  add(name: string, difference: 1 | -1): void {
    const count = this.#counts.get(name)
    if (count !== undefined) this.#counts.set(name, count + difference)
  }

  allow(name: string): boolean {
    return REQUIRED_ANCESTORS.get(name)?.some((ancestor) => this.#isOpen(ancestor)) ?? true
  }

  get isInMedia(): boolean {
    return MEDIA_ELEMENTS.some((name) => this.#isOpen(name))
  }

  #isOpen(name: string): boolean {
    return (this.#counts.get(name) ?? 0) > 0
  }
}
