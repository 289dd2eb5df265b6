import { DaybookError } from '../../errors.ts'
import type { CollectionModel, DocumentModel } from '../../model/model.ts'
import { isUuidShaped } from '../../slugs.ts'
import type { Reader } from '../../store/reads/reader.ts'
import type { BrokenLink, Referrer, ReferrerFilter } from '../../store/reads/reference-reader.ts'
import { GLOBALS, getReferringField, toLinkField } from '../../store/tables/tables.ts'
import type { Access } from '../access/access.ts'
import { type CallerScope, resolveCallerScope } from '../access/caller-scope.ts'
import { canSeeEntry } from '../access/draft-access.ts'
import { notAnIdError } from '../access/rules.ts'
import type { ContentContext } from '../context.ts'
import { readStoredValues, textOrNull } from '../documents/row.ts'
import { DEFAULT_LOCALE } from '../locales/locale.ts'
import { findHtmlFields, LINK_SCHEME } from '../markdown/document-links.ts'
import { canRead } from './referrers.ts'

export interface ReferencesPage {
  readonly total: number
  readonly limit: number
  readonly offset: number
  readonly items: readonly Referrer[]
}

/**
 * Lists the references to an entry from documents that the caller may read.
 *
 * @throws NOT_FOUND, UNAUTHORIZED, FORBIDDEN
 */
export async function listReferrers(
  context: ContentContext,
  access: Access,
  collection: CollectionModel,
  id: string,
  page: { readonly limit: number; readonly offset: number },
): Promise<ReferencesPage> {
  const { read } = context.store
  const filter = await access.authorizeRead(collection)
  if (!isUuidShaped(id)) throw notAnIdError()
  const key = id.toLowerCase()
  const [entry] = await read.entries.statuses(collection, [key], filter?.where)
  if (!entry || !(await canSeeEntry(access, read, collection, entry))) throw new DaybookError('NOT_FOUND')
  const referrerFilter = {
    ...(await resolveReferrerFilter(context, access, await resolveCallerScope(access, DEFAULT_LOCALE))),
    hasLinks: true,
    address: await getFileAddress(read, collection, key),
  }
  const total = await read.references.count(collection.key, key, referrerFilter)
  const items = await read.references.referrers(collection.key, key, page.limit, page.offset, referrerFilter)
  return { total, ...page, items: items.map((item) => ({ ...item, field: getReferringField(item.field) })) }
}

/** Returns the address of a file, by which links name it. */
async function getFileAddress(read: Reader, collection: CollectionModel, id: string): Promise<string | undefined> {
  if (!collection.holdsFiles) return undefined
  const row = await read.entries.byId(collection, id)
  return (row && textOrNull(readStoredValues(collection, row).url)) ?? undefined
}

async function resolveReferrerFilter(
  { model }: ContentContext,
  access: Access,
  scope: CallerScope,
): Promise<ReferrerFilter> {
  const findHiddenRelations = (document: DocumentModel, isReadable: boolean): readonly string[] => {
    const hidden = scope.hiddenFields(document)
    const relations = [...document.relations.values()].flat()
    const links = findHtmlFields(document).map(({ path, owner }) => ({ path: toLinkField(path), owner }))
    return [...relations, ...links].filter(({ owner }) => !isReadable || hidden.has(owner)).map(({ path }) => path)
  }
  const except: string[] = []
  for (const collection of model.collections.values()) {
    except.push(
      ...findHiddenRelations(collection, scope.readableCollection(collection.key) !== undefined).map(
        (path) => `${collection.key} ${path}`,
      ),
    )
  }
  for (const global of model.globals.values()) {
    if (global.relations.size === 0 && findHtmlFields(global).length === 0) continue
    except.push(
      ...findHiddenRelations(global, await canRead(access, global)).map((path) => `${GLOBALS} ${global.key} ${path}`),
    )
  }
  const filters = [...model.collections.values()].flatMap((collection) => {
    const canRefer = collection.relations.size > 0 || findHtmlFields(collection).length > 0
    if (!canRefer || !scope.readableCollection(collection.key)) return []
    const where = scope.whereVisible(collection)
    return where ? [{ collection, where }] : []
  })
  return { except, filters }
}

/** A link in the HTML of a document whose target does not exist. */
export interface ListedBrokenLink extends Referrer {
  /** The address in Markdown: `daybook:posts/ID`, or that of a file. */
  readonly link: string
}

/** One page of broken links. */
export interface BrokenLinksPage extends Omit<ReferencesPage, 'items'> {
  readonly items: readonly ListedBrokenLink[]
}

/** Lists the links to entries and files that do not exist for the caller, in documents that the caller may read. */
export async function listBrokenLinks(
  context: ContentContext,
  access: Access,
  page: { readonly limit: number; readonly offset: number },
): Promise<BrokenLinksPage> {
  const { references } = context.store.read
  const scope = await resolveCallerScope(access, DEFAULT_LOCALE)
  const filter = await resolveReferrerFilter(context, access, scope)
  const targets = [...scope.collections.values()].flatMap((collection) =>
    scope.readableCollection(collection.key) ? [{ collection, where: scope.whereVisible(collection) }] : [],
  )
  const total = await references.countBrokenLinks(filter, targets)
  const items = await references.brokenLinks(filter, targets, page.limit, page.offset)
  return { total, ...page, items: items.map(toListedLink) }
}

const toListedLink = ({ collection, id, field, target, targetId }: BrokenLink): ListedBrokenLink => ({
  collection,
  id,
  field: getReferringField(field),
  link: isUuidShaped(targetId) ? `${LINK_SCHEME}:${target}/${targetId}` : targetId,
})
