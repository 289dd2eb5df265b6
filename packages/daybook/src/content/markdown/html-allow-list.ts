import { defaultSchema } from 'hast-util-sanitize'
import type { AllowedAttribute, Attributes } from 'sanitize-html'
import type { HtmlAllowance } from '../../config/config.ts'
import { CALLOUT_CLASSES, CALLOUT_KINDS } from './callouts.ts'

/** Elements that play a file. */
export const MEDIA_ELEMENTS: readonly string[] = ['video', 'audio']

/** Stands for the page that shows a text, which the service does not know. */
const PAGE = 'https://page.invalid'
/** The folder of the service's own files. */
const OWN_FOLDER = '/uploads/'

/** Decides by its address whether a text may play a file. */
export class MediaRule {
  readonly #hosts: ReadonlySet<string>

  /** @param hosts the hosts from which files may come, besides the service's own */
  constructor(hosts: readonly string[] = []) {
    this.#hosts = new Set(hosts)
  }

  /**
   * Takes addresses that are not allowed from the attributes of an element.
   *
   * @param isInMedia true if the element stands in one of {@link MEDIA_ELEMENTS}
   * @returns false if the element is to be left out
   */
  apply(element: string, attributes: Attributes, isInMedia: boolean): boolean {
    if (MEDIA_ELEMENTS.includes(element)) {
      if (attributes.poster !== undefined && !this.#allows(attributes.poster)) delete attributes.poster
      return attributes.src === undefined || this.#allows(attributes.src)
    }
    if (element !== 'source') return true
    if (isInMedia) return attributes.src !== undefined && this.#allows(attributes.src)
    // A picture chooses by srcset and ignores the address.
    delete attributes.src
    return true
  }

  /** Reads an address as browsers do, which forgive much. */
  #allows(address: string): boolean {
    const url = URL.parse(address, PAGE)
    if (!url) return false
    if (url.origin === PAGE) return address.startsWith(OWN_FOLDER) && url.pathname.startsWith(OWN_FOLDER)
    return /^https?:$/.test(url.protocol) && this.#hosts.has(url.host)
  }
}

/** The attributes of an element, some with the values that they may have. */
type Definitions = NonNullable<typeof defaultSchema.attributes>[string]

/** GitHub's allow-list, with the names that hast has for attributes. */
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

/** Names of hast that are not HTML's in other letters. */
const RENAMED_ATTRIBUTES: Readonly<Record<string, string>> = {
  className: 'class',
  htmlFor: 'for',
  acceptCharset: 'accept-charset',
}

/** Elements that are safe; those of media with an address that is allowed. */
export const ALLOWED_ELEMENTS: readonly string[] = [...(defaultSchema.tagNames ?? []), ...MEDIA_ELEMENTS]
/** The schemes of a link's address, and those of any other. */
export const ALLOWED_SCHEMES: { readonly link: readonly string[]; readonly other: readonly string[] } = {
  link: protocols?.href ?? [],
  other: protocols?.src ?? [],
}
/** The elements that an element must stand in one of: a cell without a table would end one of the page around it. */
export const REQUIRED_ANCESTORS: ReadonlyMap<string, readonly string[]> = new Map(Object.entries(ancestors ?? {}))
/** Attributes that name elements of the page, and what these names begin with, so that they are none of the page's own. */
export const NAMING_ATTRIBUTES: ReadonlySet<string> = new Set((clobber ?? []).map(attributeOf))
export const NAME_PREFIX: string = clobberPrefix ?? ''
/** Attributes that an element has, whatever its author says. */
export const REQUIRED_ATTRIBUTES: ReadonlyMap<string, Attributes> = new Map(
  Object.entries(required ?? {}).map(([element, values]) => [element, attributesOf(values)]),
)

/** By element, `*` for every one: the attributes that it may have, and what the config allows besides. */
export function getAllowedAttributes(more: HtmlAllowance): Record<string, readonly AllowedAttribute[]> {
  const allowed: Record<string, readonly AllowedAttribute[]> = { ...more.attributes }
  for (const [element, definitions] of Object.entries(attributes)) {
    const own = definitions.filter((one) => attributeName(one) !== CLASS).map(toAllowed)
    allowed[element] = [...own, ...(more.attributes?.[element] ?? [])]
  }
  return allowed
}

/** By element: the classes that it may have, unless the config allows every class there. */
export function getAllowedClasses({
  attributes: more = {},
}: HtmlAllowance): Record<string, readonly (string | RegExp)[]> {
  const isFree = (element: string): boolean => [more[element], more['*']].some((names) => names?.includes('class'))
  const classes: Record<string, readonly (string | RegExp)[]> = {}
  for (const [element, definitions] of Object.entries(attributes)) {
    const own = definitions.filter((one) => attributeName(one) === CLASS).flatMap(valuesOf)
    if (own.length > 0 && !isFree(element)) classes[element] = own
  }
  return classes
}

/** An attribute's name, alone or with the values that it may have. */
type Definition = Definitions[number]

const CLASS = 'className'
const attributeName = (definition: Definition): string => (typeof definition === 'string' ? definition : definition[0])

function valuesOf(definition: Definition): readonly (string | RegExp)[] {
  const [, ...values] = typeof definition === 'string' ? [definition] : definition
  return values.filter((value) => typeof value === 'string' || value instanceof RegExp)
}

function toAllowed(definition: Definition): AllowedAttribute {
  const name = attributeOf(attributeName(definition))
  const values = valuesOf(definition).filter((value) => typeof value === 'string')
  return values.length > 0 ? { name, values } : name
}

function attributesOf(values: Readonly<Record<string, unknown>>): Attributes {
  const pairs = Object.entries(values).map(([name, value]) => [attributeOf(name), value === true ? '' : String(value)])
  return Object.fromEntries(pairs)
}

/** The HTML name of an attribute of hast: `ariaLabelledBy` is `aria-labelledby`, `dataFootnoteRef` is `data-footnote-ref`. */
function attributeOf(property: string): string {
  if (/^data[A-Z]/.test(property)) return property.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  return RENAMED_ATTRIBUTES[property] ?? property.replace(/^aria(?=[A-Z])/, 'aria-').toLowerCase()
}
