import sanitizeHtml, { type Attributes, type ChangedTag } from 'sanitize-html'
import type { HtmlAllowance } from '../../config/config.ts'
import {
  ALLOWED_ELEMENTS,
  ANCESTORS,
  allowedAttributes,
  allowedClasses,
  NAME_PREFIX,
  NAMING,
  REQUIRED,
  SCHEMES,
} from './html-allow-list.ts'

/** Makes HTML of any author safe to print: balanced, with allowed elements and attributes alone. */
export type SanitizeHtml = (html: string) => string

/** An element below so many others is left out, and what it holds is not: browsers nest no deeper either. */
export const MAX_HTML_DEPTH = 512
/** Elements that have no end (HTML, section 13.1.2). */
const VOID_ELEMENTS: readonly string[] = ['area', 'br', 'col', 'hr', 'img', 'input', 'source', 'track', 'wbr']
/** Attributes that keep their `=""` when they are empty. */
const WITH_EMPTY_VALUE: readonly string[] = ['alt', 'checked', 'disabled', 'href', 'src']

/** Makes a sanitizer with GitHub's allow-list, and what the config allows besides. */
export function htmlSanitizer(more: HtmlAllowance = {}): SanitizeHtml {
  const options = {
    allowedTags: [...ALLOWED_ELEMENTS, ...(more.elements ?? [])],
    allowedAttributes: allowedAttributes(more),
    allowedClasses: allowedClasses(more),
    allowedSchemes: SCHEMES.other,
    allowedSchemesByTag: { a: SCHEMES.link },
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
      transformTags: { '*': (name, given) => change(name, given, open) },
    })
    // Void elements end as those of XHTML do, and nothing else looks like it: `>` is escaped in texts and values.
    return clean.replaceAll(' />', '>')
  }
}

function change(name: string, given: Attributes, open: OpenAncestors): ChangedTag {
  // An element without a name is not allowed.
  const tagName = open.allow(name) ? name : ''
  for (const key of Object.keys(given)) {
    // The page around it has names of its own.
    if (NAMING.has(key)) given[key] = (given[key] ?? '').replace(/\S+/g, withPrefix)
    if (key === 'srcset' && !isSrcset(given[key] ?? '')) delete given[key]
  }
  const required = REQUIRED.get(name)
  return { tagName, attribs: required ? { ...given, ...required } : given }
}

const withPrefix = (name: string): string => (name.startsWith(NAME_PREFIX) ? name : `${NAME_PREFIX}${name}`)

/** An address in `srcset`, perhaps with a width or a density. */
const CANDIDATE = /^\s*\S+(?:\s+(?:[1-9]\d*w|\d+(?:\.\d+)?x))?\s*$/
/** Others are left out: the sanitizer's parser prints what it does not understand. */
const isSrcset = (value: string): boolean => value.split(',').every((one) => CANDIDATE.test(one))

/** Counts the open elements that others must stand in. */
class OpenAncestors {
  readonly #counts = new Map([...ANCESTORS.values()].flat().map((name) => [name, 0]))

  add(name: string, difference: 1 | -1): void {
    const count = this.#counts.get(name)
    if (count !== undefined) this.#counts.set(name, count + difference)
  }

  allow(name: string): boolean {
    return ANCESTORS.get(name)?.some((one) => (this.#counts.get(one) ?? 0) > 0) ?? true
  }
}
