import { defaultSchema } from 'hast-util-sanitize'
import type { AllowedAttribute, Attributes } from 'sanitize-html'
import type { HtmlAllowance } from '../../config/config.ts'
import { CALLOUT_CLASSES, CALLOUT_KINDS } from './callouts.ts'
import { LINK_SCHEME } from './document-links.ts'

/** Elements that play media files. */
export const MEDIA_ELEMENTS: readonly string[] = ['video', 'audio']

/** A placeholder for the address of the page that shows a text. */
const PAGE = 'https://page.invalid'
/** The folder of the service's own files. */
const UPLOADS_FOLDER = '/uploads/'

/** Allows media files by their addresses. */
export class MediaRule {
  readonly #hosts: ReadonlySet<string>

  /** @param hosts the allowed hosts besides the service itself */
  constructor(hosts: readonly string[] = []) {
    this.#hosts = new Set(hosts)
  }

  /**
   * Removes forbidden addresses from the attributes of an element.
   *
   * @param isInMedia true if the element is inside one of {@link MEDIA_ELEMENTS}
   * @returns false if the element must be removed
   */
  apply(element: string, attributes: Attributes, isInMedia: boolean): boolean {
    if (MEDIA_ELEMENTS.includes(element)) {
      if (attributes.poster !== undefined && !this.#allows(attributes.poster)) delete attributes.poster
      return attributes.src === undefined || this.#allows(attributes.src)
    }
    if (element !== 'source') return true
    if (isInMedia) return attributes.src !== undefined && this.#allows(attributes.src)
    // In a picture, browsers use srcset and ignore src.
    delete attributes.src
    return true
  }

  /** Returns true if a file may come from an address, which is parsed as leniently as browsers do. */
  #allows(address: string): boolean {
    const url = URL.parse(address, PAGE)
    if (!url) return false
    if (url.origin === PAGE) return address.startsWith(UPLOADS_FOLDER) && url.pathname.startsWith(UPLOADS_FOLDER)
    return /^https?:$/.test(url.protocol) && this.#hosts.has(url.host)
  }
}

/** The allowed attributes of an element, some with their allowed values. */
type Definitions = NonNullable<typeof defaultSchema.attributes>[string]

/** GitHub's allow-list, with hast's names for attributes. */
const { ancestors, clobber, clobberPrefix, protocols, required } = defaultSchema
const MEDIA_ATTRIBUTES: Definitions = ['src', 'controls', 'muted', 'loop', ['preload', 'none', 'metadata', 'auto']]
const attributes: Readonly<Record<string, Definitions>> = {
  ...defaultSchema.attributes,
  video: [...MEDIA_ATTRIBUTES, 'poster'],
  audio: MEDIA_ATTRIBUTES,
  source: [...(defaultSchema.attributes?.source ?? []), 'src', 'type'],
  blockquote: [
    ...(defaultSchema.attributes?.blockquote ?? []),
    ['className', ...CALLOUT_CLASSES],
    ['dataCallout', ...CALLOUT_KINDS],
  ],
}

/** Attributes whose hast name differs from the HTML name by more than its case. */
const RENAMED_ATTRIBUTES: Readonly<Record<string, string>> = {
  className: 'class',
  htmlFor: 'for',
  acceptCharset: 'accept-charset',
}

/** Safe elements; media elements also need an allowed address. */
export const ALLOWED_ELEMENTS: readonly string[] = [
  ...(defaultSchema.tagNames ?? []),
  ...MEDIA_ELEMENTS,
  'figure',
  'figcaption',
]
/** The allowed schemes of links, and of all other addresses. */
export const ALLOWED_SCHEMES: { readonly link: readonly string[]; readonly other: readonly string[] } = {
  link: [...(protocols?.href ?? []), LINK_SCHEME],
  other: [...(protocols?.src ?? []), LINK_SCHEME],
}
/** The ancestors of which an element needs one. A table cell without a table would close a table of the surrounding page. */
export const REQUIRED_ANCESTORS: ReadonlyMap<string, readonly string[]> = new Map(Object.entries(ancestors ?? {}))
/** Attributes that name or refer to elements. Their values get a prefix, so that they cannot collide with those of the page. */
export const NAMING_ATTRIBUTES: ReadonlySet<string> = new Set((clobber ?? []).map(toHtmlAttribute))
export const NAME_PREFIX: string = clobberPrefix ?? ''
/** Attributes that an element always gets, by element. */
export const REQUIRED_ATTRIBUTES: ReadonlyMap<string, Attributes> = new Map(
  Object.entries(required ?? {}).map(([element, values]) => [element, toHtmlAttributes(values)]),
)

/** Returns the allowed attributes by element, `*` for all elements, including those that the config allows. */
export function getAllowedAttributes(additions: HtmlAllowance): Record<string, readonly AllowedAttribute[]> {
  const allowed: Record<string, readonly AllowedAttribute[]> = { ...additions.attributes }
  for (const [element, definitions] of Object.entries(attributes)) {
    const withoutClasses = definitions.filter((definition) => getAttributeName(definition) !== CLASS).map(toAllowed)
    allowed[element] = [...withoutClasses, ...(additions.attributes?.[element] ?? [])]
  }
  return allowed
}

/** Returns the allowed classes by element, except for elements with all classes allowed by the config. */
export function getAllowedClasses({
  attributes: additions = {},
}: HtmlAllowance): Record<string, readonly (string | RegExp)[]> {
  const allowsAllClasses = (element: string): boolean =>
    [additions[element], additions['*']].some((names) => names?.includes('class'))
  const classes: Record<string, readonly (string | RegExp)[]> = {}
  for (const [element, definitions] of Object.entries(attributes)) {
    const allowedNames = definitions
      .filter((definition) => getAttributeName(definition) === CLASS)
      .flatMap(getAllowedValues)
    if (allowedNames.length > 0 && !allowsAllClasses(element)) classes[element] = allowedNames
  }
  return classes
}

/** The name of an attribute, alone or with its allowed values. */
type Definition = Definitions[number]

const CLASS = 'className'
const getAttributeName = (definition: Definition): string =>
  typeof definition === 'string' ? definition : definition[0]

function getAllowedValues(definition: Definition): readonly (string | RegExp)[] {
  const [, ...values] = typeof definition === 'string' ? [definition] : definition
  return values.filter((value) => typeof value === 'string' || value instanceof RegExp)
}

function toAllowed(definition: Definition): AllowedAttribute {
  const name = toHtmlAttribute(getAttributeName(definition))
  const values = getAllowedValues(definition).filter((value) => typeof value === 'string')
  return values.length > 0 ? { name, values } : name
}

function toHtmlAttributes(values: Readonly<Record<string, unknown>>): Attributes {
  const pairs = Object.entries(values).map(([name, value]) => [
    toHtmlAttribute(name),
    value === true ? '' : String(value),
  ])
  return Object.fromEntries(pairs)
}

/** Converts hast's name of an attribute to HTML's: `ariaLabelledBy` to `aria-labelledby`, `dataFootnoteRef` to `data-footnote-ref`. */
function toHtmlAttribute(property: string): string {
  if (/^data[A-Z]/.test(property)) return property.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  return RENAMED_ATTRIBUTES[property] ?? property.replace(/^aria(?=[A-Z])/, 'aria-').toLowerCase()
}
