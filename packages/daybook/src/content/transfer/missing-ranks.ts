import { generateKeyBetween } from 'fractional-indexing'
import { isRank, RANK } from '../../fields/rank.ts'
import type { CollectionModel, Model } from '../../model/model.ts'
import type { StoredEntry } from '../../store/rows.ts'
import type { Writer } from '../../store/writes/writer.ts'
import type { Values } from '../documents/document.ts'
import { readStoredValues, toCanonical, toLocaleRows } from '../documents/row.ts'

/**
 * Gives entries without a rank the last ranks, in this order, without a record in the journal. They are entries of an older config, or of an
 * export of one.
 *
 * @param hasLocaleRows false before the tables of locales are filled
 */
export async function addMissingRanks(
  model: Model,
  writer: Writer,
  collection: CollectionModel,
  pages: AsyncIterable<readonly StoredEntry[]> | Iterable<readonly StoredEntry[]>,
  { hasLocaleRows }: { readonly hasLocaleRows: boolean },
): Promise<void> {
  if (!collection.orderable) return
  const [last] = await writer.read.order.before(collection, { limit: 1 })
  let rank = last?.rank ?? null
  for await (const page of pages) {
    for (const entry of page) {
      const values: Values = JSON.parse(entry.doc)
      if (isRank(values[RANK])) continue
      rank = generateKeyBetween(rank, null)
      const doc = JSON.stringify({ ...values, [RANK]: rank })
      await writer.entries.align(collection, { pk: entry.pk, doc, orphaned: entry.orphaned })
      if (hasLocaleRows) await putLocaleRows(model, writer, collection, { ...entry, doc, schema_hash: '' })
    }
  }
}

async function putLocaleRows(
  model: Model,
  writer: Writer,
  collection: CollectionModel,
  entry: StoredEntry,
): Promise<void> {
  const canonical = toCanonical(readStoredValues(collection, entry), entry.locales)
  for (const localeRow of toLocaleRows(model, collection, canonical, entry.status))
    await writer.entries.putLocaleRow(entry.pk, entry, localeRow)
}
