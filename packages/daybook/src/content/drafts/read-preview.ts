import type { CollectionModel } from '../../model/model.ts'
import { type DraftQuery, hasDrafts } from '../../query/draft-query.ts'
import { type DocumentQuery, readEntryQuery } from '../../query/entry-query.ts'
import type { Query } from '../../query/parameters.ts'
import { workingCopyOf } from '../../store/working-copy.ts'
import type { Access } from '../access/access.ts'
import { readerScope } from '../access/reader-scope.ts'
import { UnrestrictedAccess } from '../access/unrestricted-access.ts'
import type { ReadPlan } from '../answer.ts'
import type { Engine } from '../engine.ts'
import { documentTag, variantOf } from '../etags.ts'
import { inChosenLocale, inLocale, requireLocale } from '../locales/locale.ts'
import type { DraftView } from '../reads/answer-source.ts'
import { answered } from '../reads/entry.ts'
import { answerExpanded } from '../reads/expand.ts'
import { toAnswer } from '../reads/present.ts'
import { previewedEntry } from './preview.ts'
import { readDrafts } from './read-drafts.ts'

/**
 * Reads the entry that a preview is of, as its working copy has it; what it includes is answered so, too, published or not. No rule of the
 * collection is asked: the token is the right to see it. Fields that the caller may not read stay hidden.
 *
 * @param address its id, its slug, or the slug that its working copy has
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
): Promise<ReadPlan | undefined> {
  const choice = requireLocale(engine.model, query.partial, access)
  const collection = inLocale(engine.model, key, choice)
  const id = await previewedEntry(engine, collection, token)
  if (id === undefined || !(await isAddressOf(engine, collection, id, address))) return undefined
  const scope = await readerScope(access, choice)
  const selection = readEntryQuery(collection, query, scope)
  const maker = new UnrestrictedAccess(engine.model, access.caller)
  const [shown] = await readDrafts(engine, maker, collection, [{ id }], choice)
  if (!shown) return undefined
  const showDrafts: DraftView = async (to, rows) =>
    hasDrafts(to)
      ? (await readDrafts(engine, maker, to, rows, choice)).map(({ row }) => row)
      : inChosenLocale(engine, to, rows, choice)
  const own = { hidden: scope.hidden(collection), hasPeople: scope.seesPeople(collection), select: selection.select }
  const isPlain = selection.expansions.length === 0 && selection.lists.length === 0
  const { json, seq } = isPlain
    ? toAnswer(collection, shown.row, own)
    : await answerExpanded(engine, collection, shown.row, selection, scope, showDrafts)
  // What is included may change without a number that is looked at here: the answer itself names it.
  return answered({ json, tag: documentTag(seq, variantOf('preview', json)) })
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
