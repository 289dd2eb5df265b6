import { defaultSchema } from 'hast-util-sanitize'
import type { AllowedAttribute, Attributes } from 'sanitize-html'
import type { HtmlAllowance } from '../../config/config.ts'
import { CALLOUT_CLASSES, CALLOUT_KINDS } from './callouts.ts'
import { MEDIA_ELEMENTS } from './media.ts'

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
export const SCHEMES: { readonly link: readonly string[]; readonly other: readonly string[] } = {
  link: protocols?.href ?? [],
  other: protocols?.src ?? [],
}
/** The elements that an element must stand in one of: a cell without a table would end one of the page around it. */
export const ANCESTORS: ReadonlyMap<string, readonly string[]> = new Map(Object.entries(ancestors ?? {}))
/** Attributes that name elements of the page, and what these names begin with, so that they are none of the page's own. */
export const NAMING: ReadonlySet<string> = new Set((clobber ?? []).map(attributeOf))
export const NAME_PREFIX: string = clobberPrefix ?? ''
/** Attributes that an element has, whatever its author says. */
export const REQUIRED: ReadonlyMap<string, Attributes> = new Map(
  Object.entries(required ?? {}).map(([element, values]) => [element, attributesOf(values)]),
)

/** By element, `*` for every one: the attributes that it may have, and what the config allows besides. */
export function allowedAttributes(more: HtmlAllowance): Record<string, readonly AllowedAttribute[]> {
  const allowed: Record<string, readonly AllowedAttribute[]> = { ...more.attributes }
  for (const [element, definitions] of Object.entries(attributes)) {
    const own = definitions.filter((one) => attributeName(one) !== CLASS).map(toAllowed)
    allowed[element] = [...own, ...(more.attributes?.[element] ?? [])]
  }
  return allowed
}

/** By element: the classes that it may have, unless the config allows every class there. */
export function allowedClasses({ attributes: more = {} }: HtmlAllowance): Record<string, readonly (string | RegExp)[]> {
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
