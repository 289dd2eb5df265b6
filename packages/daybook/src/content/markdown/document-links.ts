import { type Fields, generatedValues, isRecord } from '../../fields/field.ts'
import type { DocumentModel } from '../../model/model.ts'
import type { Values } from '../documents/document.ts'

/** The scheme of links to documents in Markdown, as in `[text](daybook:posts/ID)`. */
export const LINK_SCHEME = 'daybook'
/** The folder of the service's own files, in addresses. */
const UPLOADS_FOLDER = '/uploads/'

/** A link to a document by its id, or to a file by its address. */
export interface DocumentLink {
  readonly collection: string
  /** The id in lower case. */
  readonly id: string
  /** The query and the fragment behind the id. */
  readonly suffix: string
}

/** Matches links and images in sanitized HTML, in which `<` and `>` occur in tags alone. */
const ELEMENT = /<(?:a|img)\s[^<>]*>/g
const ADDRESS = /\s(?:href|src)="([^"]*)"/
const DOCUMENT = /^daybook:([a-z][a-zA-Z0-9_]*)\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})((?:[?#].*)?)$/i

/** Parses the address of a link to a document, such as `daybook:posts/ID#heading`. */
function parseDocumentLink(address: string): DocumentLink | undefined {
  const [, collection, id, suffix = ''] = DOCUMENT.exec(address) ?? []
  return collection === undefined || id === undefined ? undefined : { collection, id: id.toLowerCase(), suffix }
}

/** Returns the addresses of the links and images in sanitized HTML. */
function findAddresses(html: string): readonly string[] {
  return [...html.matchAll(ELEMENT)].flatMap(([element]) => ADDRESS.exec(element)?.[1] ?? [])
}

/** Finds the links to documents in sanitized HTML. */
export const findDocumentLinks = (html: string): readonly DocumentLink[] =>
  findAddresses(html).flatMap((address) => parseDocumentLink(address) ?? [])

/** Returns the addresses of the service's own files to which sanitized HTML links, without query and fragment. */
export const findFileAddresses = (html: string): readonly string[] =>
  findAddresses(html).flatMap((address) =>
    address.startsWith(UPLOADS_FOLDER) ? (address.replaceAll('&amp;', '&').split(/[?#]/)[0] ?? []) : [],
  )

/**
 * Replaces the links to documents in sanitized HTML by their addresses. A link without an address keeps its text, and loses `href` or
 * `src`.
 */
export function replaceDocumentLinks(html: string, getAddress: (link: DocumentLink) => string | undefined): string {
  return html.replace(ELEMENT, (element) =>
    element.replace(ADDRESS, (attribute, address: string) => {
      if (!address.startsWith(`${LINK_SCHEME}:`)) return attribute
      const link = parseDocumentLink(address)
      const resolved = link && getAddress(link)
      const name = attribute.slice(0, attribute.indexOf('='))
      return resolved === undefined ? '' : `${name}="${escapeAttribute(resolved)}${link?.suffix ?? ''}"`
    }),
  )
}

const escapeAttribute = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** A field with HTML: its dotted path, and the top-level field that contains it. */
export interface HtmlField {
  readonly path: string
  readonly owner: string
}

/** Returns the fields of a document with HTML, at any depth. */
export const findHtmlFields = ({ fields }: Pick<DocumentModel, 'fields'>): readonly HtmlField[] =>
  fields.flatMap(({ key, field }) => findHtmlPaths(field, key, key).map((path) => ({ path, owner: key })))

function findHtmlPaths(field: Fields[string], key: string, path: string): readonly string[] {
  const { type, options } = field
  const direct = generatedValues(key, field).some((generated) => 'isHtml' in generated) ? [path] : []
  const item = type.item?.(options)
  const inner = (type.inner?.(options) ?? []).flatMap(({ fields }) =>
    Object.entries(fields).flatMap(([innerKey, innerField]) =>
      findHtmlPaths(innerField, innerKey, `${path}.${innerKey}`),
    ),
  )
  return [...new Set([...direct, ...(item ? findHtmlPaths(item, key, path) : []), ...inner])]
}

/** Changes one HTML text; with all locales in one document, each is changed by itself. @param path the dotted path of its field */
export type ChangeHtml = (html: string, path: string) => string

/** Returns a document with its HTML changed, at any depth. */
export function mapHtml({ fields }: Pick<DocumentModel, 'fields'>, values: Values, change: ChangeHtml): Values {
  const definitions: Fields = Object.fromEntries(fields.map(({ key, field }) => [key, field]))
  return { ...values, ...mapFields(definitions, values, '', change) }
}

function mapFields(fields: Fields, values: Values, prefix: string, change: ChangeHtml): Values {
  const copy: Values = {}
  for (const [key, field] of Object.entries(fields)) {
    const path = `${prefix}${key}`
    if (values[key] !== undefined) copy[key] = mapValue(field, values[key], path, change)
    for (const generated of generatedValues(key, field)) {
      if ('isHtml' in generated && values[generated.key] !== undefined)
        copy[generated.key] = mapText(values[generated.key], path, change)
    }
  }
  return copy
}

function mapValue(field: Fields[string], value: unknown, path: string, change: ChangeHtml): unknown {
  if (value === null || typeof value !== 'object') return value
  let lastPath = path
  return (
    field.type.walk?.(value, field.options, {
      keepsUnknownKeys: true,
      value: (inner, innerValue, key) => {
        lastPath = key === '' ? path : `${path}.${key}`
        return innerValue === undefined ? innerValue : mapValue(inner, innerValue, lastPath, change)
      },
      generated: (generated, container, _source, stored) => {
        if (stored !== undefined)
          container[generated.key] = 'isHtml' in generated ? mapText(stored, lastPath, change) : stored
      },
    }) ?? value
  )
}

function mapText(value: unknown, path: string, change: ChangeHtml): unknown {
  if (typeof value === 'string') return change(value, path)
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([locale, text]) => [locale, mapText(text, path, change)]))
}
