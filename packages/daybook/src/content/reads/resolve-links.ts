import { ASSETS } from '../../fields/asset.ts'
import type { CollectionModel, DocumentModel } from '../../model/model.ts'
import type { CurrentCounters } from '../../store/reads/counters-reader.ts'
import { hasLinks } from '../../store/tables/tables.ts'
import type { CallerScope } from '../access/caller-scope.ts'
import type { ContentContext } from '../context.ts'
import type { StoredDocument } from '../documents/row.ts'
import { readStoredValues } from '../documents/row.ts'
import { type DocumentLink, findDocumentLinks, mapHtml, replaceDocumentLinks } from '../markdown/document-links.ts'
import { hashCacheKey } from './etags.ts'

/** The maximum number of documents whose addresses one response looks up. Further links have no address. */
const MAX_LINKED_DOCUMENTS = 2000

/** Returns the collections to which links lead for a caller: those with pages, and the files. */
export const linkableCollections = (scope: CallerScope): readonly CollectionModel[] =>
  [...scope.collections.values()].filter(
    (collection) => isLinkable(collection) && scope.readableCollection(collection.key) !== undefined,
  )

const isLinkable = ({ key, paths }: CollectionModel): boolean => key === ASSETS || paths.length > 0

/**
 * Returns the part of a tag for links: it changes when an address may have changed for the caller. Call it before the documents are read.
 *
 * @param counters of the request
 */
export async function toLinksPart(scope: CallerScope, counters: CurrentCounters): Promise<string> {
  const related = linkableCollections(scope)
  const revisions = await scope.readRevisions(counters, { related, ruleCollections: scope.getRuleCollections(related) })
  return hashCacheKey('links', scope.cacheKeyPart(related), scope.localeChoice, revisions)
}

/**
 * Replaces links to documents in the HTML of stored documents by the addresses that the caller may see. Takes one statement for each
 * collection that they lead to, and none for documents without links.
 */
export async function resolveLinks<Row extends StoredDocument>(
  context: ContentContext,
  scope: CallerScope,
  document: DocumentModel,
  rows: readonly Row[],
): Promise<readonly Row[]> {
  if (!rows.some(hasLinks)) return rows
  const parsed = rows.map((row) => (hasLinks(row) ? readStoredValues(document, row) : undefined))
  const links: DocumentLink[] = []
  for (const values of parsed) {
    if (values)
      mapHtml(document, values, (html) => {
        links.push(...findDocumentLinks(html))
        return html
      })
  }
  const addresses = await readAddresses(context, scope, links)
  return rows.map((row, index) => {
    const values = parsed[index]
    if (!values) return row
    const resolved = mapHtml(document, values, (html) =>
      replaceDocumentLinks(html, ({ collection, id }) => addresses.get(`${collection} ${id}`)),
    )
    return { ...row, doc: JSON.stringify(resolved), schema_hash: document.schemaHash, orphaned: null }
  })
}

/** Reads the addresses of documents that the caller may see, by collection and id. */
async function readAddresses(
  { store }: ContentContext,
  scope: CallerScope,
  links: readonly DocumentLink[],
): Promise<ReadonlyMap<string, string>> {
  const addresses = new Map<string, string>()
  for (const collection of linkableCollections(scope)) {
    const ids = [...new Set(links.filter((link) => link.collection === collection.key).map(({ id }) => id))]
    if (ids.length === 0) continue
    const rows = await store.read.entries.byIds(collection, ids.slice(0, MAX_LINKED_DOCUMENTS), {
      where: scope.whereVisible(collection),
    })
    for (const row of rows) {
      const address = getAddress(scope, collection, readStoredValues(collection, row))
      if (address !== undefined) addresses.set(`${collection.key} ${row.id}`, address)
    }
  }
  return addresses
}

/** Returns the address of an entry's page in the caller's locale, unless it contains a field that the caller may not read. */
function getAddress(
  scope: CallerScope,
  collection: CollectionModel,
  values: Readonly<Record<string, unknown>>,
): string | undefined {
  if (collection.key === ASSETS) return typeof values.url === 'string' ? values.url : undefined
  const locale = scope.localeChoice.locale ?? scope.access.model.locales?.default
  const template = collection.paths.find((path) => path.locale === undefined || path.locale === locale)
  const hidden = scope.hiddenFields(collection)
  return template?.fields.some((field) => hidden.has(field)) ? undefined : template?.pathFor(values)
}
