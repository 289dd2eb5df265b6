import { generateKeyBetween, generateNKeysBetween } from 'fractional-indexing'
import { isRank, LONG_RANK, RANK } from '../../fields/rank.ts'
import type { CollectionModel } from '../../model/model.ts'
import type { Reader } from '../../store/reads/reader.ts'
import type { Writer } from '../../store/writes/writer.ts'
import { FULL_RIGHTS } from '../access/field-access.ts'
import type { Values } from '../documents/document.ts'
import { StoredRevision } from '../documents/row.ts'
import type { WriteContext } from './context.ts'
import { rebaseDraft, storeEntry } from './entry-target.ts'

/** A place between two neighbours in the order by hand; `undefined` at an end of it. */
export interface Place {
  readonly previous: string | undefined
  readonly next: string | undefined
}

/** Returns a rank between the neighbours of a place. */
export const rankBetween = ({ previous, next }: Place): string => generateKeyBetween(previous ?? null, next ?? null)

/**
 * Gives an entry a rank of its own: the one that it has, the next free one if another entry has it, or the last one.
 *
 * @param id the entry itself
 */
export async function ensureFreeRank(
  read: Reader,
  collection: CollectionModel,
  values: Values,
  id: string,
): Promise<Values> {
  if (!collection.orderable) return values
  const rank = values[RANK]
  if (!isRank(rank))
    return { ...values, [RANK]: rankBetween(await findPlace(read, collection, { position: 'last' }, id)) }
  const [same] = await read.order.after(collection, { from: rank, isIncluded: true, limit: 1, except: id })
  if (same?.rank !== rank) return values
  const [next] = await read.order.after(collection, { from: rank, limit: 1, except: id })
  return { ...values, [RANK]: rankBetween({ previous: rank, next: next?.rank }) }
}

/** The end of the order, or the rank of the entry that will be its neighbour. */
export type Target = { readonly position: 'first' | 'last' } | { readonly before: string } | { readonly after: string }

/**
 * Finds the neighbours of a place.
 *
 * @param id the entry that moves there
 */
export async function findPlace(read: Reader, collection: CollectionModel, target: Target, id: string): Promise<Place> {
  const findNext = async (from?: string): Promise<string | undefined> =>
    (await read.order.after(collection, { from, limit: 1, except: id }))[0]?.rank
  const findPrevious = async (from?: string): Promise<string | undefined> =>
    (await read.order.before(collection, { from, limit: 1, except: id }))[0]?.rank
  if ('before' in target) return { previous: await findPrevious(target.before), next: target.before }
  if ('after' in target) return { previous: target.after, next: await findNext(target.after) }
  if (target.position === 'first') return { previous: undefined, next: await findNext() }
  return { previous: await findPrevious(), next: undefined }
}

/** The number of neighbours on each side whose ranks are spread first. */
const SPREAD = 64

/**
 * Gives the entries around a place shorter ranks, as few as possible: a rank grows by a character for about every six moves to the same place.
 *
 * @param id the entry that moves to the place
 * @returns its rank
 */
export async function spreadRanks(
  context: WriteContext,
  writer: Writer,
  collection: CollectionModel,
  { previous, next }: Place,
  id: string,
): Promise<string> {
  const { read } = writer
  for (let size = SPREAD; ; size *= 4) {
    const around = { isIncluded: true, limit: size + 1, except: id }
    const earlier = previous === undefined ? [] : await read.order.before(collection, { ...around, from: previous })
    const later = next === undefined ? [] : await read.order.after(collection, { ...around, from: next })
    const [low, high] = [earlier[size]?.rank ?? null, later[size]?.rank ?? null]
    const neighbours = [...earlier.slice(0, size).reverse(), ...later.slice(0, size)]
    const ranks = generateNKeysBetween(low, high, neighbours.length + 1)
    const isWhole = low === null && high === null
    if (!isWhole && ranks.some((rank) => rank.length > LONG_RANK / 2)) continue
    const [rank = ''] = ranks.splice(Math.min(earlier.length, size), 1)
    for (const [index, neighbour] of neighbours.entries())
      await storeRank(context, writer, collection, neighbour.id, ranks[index] ?? '')
    return rank
  }
}

async function storeRank(
  context: WriteContext,
  writer: Writer,
  collection: CollectionModel,
  id: string,
  rank: string,
): Promise<void> {
  const entry = await writer.read.entries.stored(collection, id)
  if (!entry) return
  const revision = new StoredRevision(context.content.model, collection, entry)
  const { canonical, orphaned } = revision
  const next = {
    canonical: { ...canonical, values: { ...canonical.values, [RANK]: rank } },
    orphaned,
    draft: entry.draft,
  }
  await storeEntry(context, writer, collection, revision, next, FULL_RIGHTS)
  if (entry.draft !== null) await rebaseDraft(context, writer, collection, entry, { [RANK]: rank }, true)
}
