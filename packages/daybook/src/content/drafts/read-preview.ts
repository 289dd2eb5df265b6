import { PUBLISHED } from '../../fields/status.ts'
import type { CollectionModel } from '../../model/model.ts'
import { type DraftQuery, hasDrafts } from '../../query/draft-query.ts'
import { type DocumentQuery, readEntryQuery } from '../../query/entry-query.ts'
import type { LocaleChoice } from '../../query/locale.ts'
import type { Query } from '../../query/parameters.ts'
import type { EntryRow } from '../../store/reads/rows.ts'
import { workingCopyOf } from '../../store/working-copy.ts'
import type { Access, Visibility } from '../access/access.ts'
import { findVisibleDrafts } from '../access/draft-access.ts'
import { ReaderScope } from '../access/reader-scope.ts'
import type { Engine } from '../engine.ts'
import { inChosenLocale, inLocale, requireLocale } from '../locales/locale.ts'
import type { LazyResponse } from '../reads/answer.ts'
import { draftResponse } from '../reads/entry.ts'
import { documentTag, variantOf } from '../reads/etags.ts'
import { answerExpanded } from '../reads/expand.ts'
import { toAnswer } from '../reads/present.ts'
import { readDrafts } from '../reads/read-drafts.ts'
import type { DraftView } from '../reads/reverse.ts'
import { findPreview } from './preview.ts'

/**
 * Reads the entry that a preview is of, as its draft is; what it refers to is shown so, too, as far as the maker of the preview sees drafts.
 * No rule of the collection is asked about the caller: the token is the right to see the entry. Fields that the caller may not read stay
 * hidden.
 *
 * @param address its id, its slug, or the slug that its draft has
 * @returns `undefined` when the token is none of the entry at that address
 * @throws VALIDATION_ERROR
 */
export async function readPreview(
  engine: Engine,
  access: Access,
  { key }: CollectionModel,
  address: string,
  query: Query<DocumentQuery & DraftQuery>,
  token: string,
): Promise<LazyResponse | undefined> {
  const choice = requireLocale(engine.model, query.partial, access)
  const collection = inLocale(engine.model, key, choice)
  const preview = await findPreview(engine, collection, token)
  if (!preview || !(await isAddressOf(engine, collection, preview.entry, address))) return undefined
  const { entry: id, maker } = preview
  const scope = await publishedScope(access, choice)
  const selection = readEntryQuery(collection, query, scope)
  const [shown] = await readDrafts(engine, maker, collection, [{ id }], choice)
  if (!shown) return undefined
  const showDrafts: DraftView = (to, rows) => readRelated(engine, maker, to, rows, choice)
  const projection = {
    hidden: scope.hidden(collection),
    hasPeople: scope.seesPeople(collection),
    select: selection.select,
  }
  const isPlain = selection.expansions.length === 0 && selection.lists.length === 0
  const { json, seq } = isPlain
    ? toAnswer(collection, shown.row, projection)
    : await answerExpanded(engine, collection, shown.row, selection, scope, showDrafts)
  // What is included may change without a number that is looked at here: the answer itself names it.
  return draftResponse({ json, tag: documentTag(seq, variantOf('preview', json)) })
}

/** What the rules for reads let the caller see of published entries: a preview adds drafts by the rights of its maker alone. */
async function publishedScope(access: Access, choice: LocaleChoice): Promise<ReaderScope> {
  const visibilities = new Map<string, Visibility | false>()
  for (const collection of access.model.collections.values()) {
    const ruling = await access.rulingOnReads(collection)
    const filter = typeof ruling === 'object' ? ruling : undefined
    visibilities.set(collection.key, ruling !== false && { filter, isPublishedOnly: collection.status !== undefined })
  }
  return new ReaderScope(access, choice, visibilities)
}

/** Entries that a preview includes: as their drafts are where its maker sees those, else as they are published. */
async function readRelated(
  engine: Engine,
  maker: Access,
  to: CollectionModel,
  rows: readonly EntryRow[],
  choice: LocaleChoice,
): Promise<readonly EntryRow[]> {
  if (!hasDrafts(to)) return inChosenLocale(engine, maker, to, rows, choice)
  const { read } = engine.store
  const stored = engine.model.collections.get(to.key) ?? to
  const ids = rows.map(({ id }) => id)
  const ruling = await maker.rulingOnReads(stored)
  const readable =
    ruling === false ? [] : await read.entries.statuses(stored, ids, ruling === true ? undefined : ruling.where)
  const visible = await findVisibleDrafts(
    maker,
    read,
    stored,
    readable.map(({ id }) => id),
  )
  const drafts = await readDrafts(
    engine,
    maker,
    to,
    rows.filter(({ id }) => visible.has(id)),
    choice,
  )
  const others = rows.filter(({ id, status }) => !visible.has(id) && status === PUBLISHED)
  return [...drafts.map(({ row }) => row), ...(await inChosenLocale(engine, maker, to, others, choice))]
}

async function isAddressOf(
  { store, model }: Engine,
  collection: CollectionModel,
  id: string,
  address: string,
): Promise<boolean> {
  if (address.toLowerCase() === id) return true
  const own = model.collections.get(collection.key) ?? collection
  const { slug } = own
  const entry = slug && (await store.read.entries.stored(own, id))
  if (!slug || !entry) return false
  const name = address.normalize('NFC')
  const copy = workingCopyOf(entry)
  const texts = [entry.doc, entry.locales, copy?.doc, copy?.locales].filter((text) => typeof text === 'string')
  return entry.slug === name || texts.some((text) => namesSlug(JSON.parse(text), slug.key, name))
}

/** Whether a document, or what one of its languages says, has this slug. */
function namesSlug(said: Readonly<Record<string, unknown>>, key: string, name: string): boolean {
  if (said[key] === name) return true
  return Object.values(said).some((one) => typeof one === 'object' && one !== null && Reflect.get(one, key) === name)
}
