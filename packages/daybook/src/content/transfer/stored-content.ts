import type { CollectionModel, Model } from '../../model/model.ts'
import type { Reader } from '../../store/reads/reader.ts'
import type { StoredEntry } from '../../store/rows.ts'
import type { ContentAlignment } from '../../store/store.ts'
import type { Values } from '../documents/document.ts'
import { isRefusedField, migrateDocument } from '../documents/migrate-document.ts'
import { pickUnplaced, toCurrentSchema, withOrphanedValues } from '../documents/orphaned-values.ts'
import { readStoredValues, toCanonical, toLocaleRows } from '../documents/row.ts'
import { addMissingRanks } from './missing-ranks.ts'

/** The number of documents that are read at a time, and written in one transaction. */
export const MIGRATION_BATCH = 500

/** Iterates over all entries, in order of creation. */
export const iterateEntries = (read: Reader, collection: CollectionModel): AsyncGenerator<StoredEntry> =>
  iteratePageEntries(iteratePages(read, collection))

/** Iterates over all entries, in order of creation, a batch at a time. */
export const iteratePages = (read: Reader, collection: CollectionModel): Pages =>
  iterateBatches((after) => read.entries.storedAfter(collection, after, MIGRATION_BATCH))

/** Iterates over entries that an older config wrote, that have values without a field, or that have a draft. */
export const iterateOutdated = (read: Reader, collection: CollectionModel): AsyncGenerator<StoredEntry> =>
  iteratePageEntries(iterateBatches((after) => read.entries.outdated(collection, after, MIGRATION_BATCH)))

type Pages = AsyncGenerator<readonly StoredEntry[]>

async function* iteratePageEntries(pages: Pages): AsyncGenerator<StoredEntry> {
  for await (const page of pages) yield* page
}

/** @param next reads the batch of entries after a `pk` */
async function* iterateBatches(next: (after: number) => Promise<readonly StoredEntry[]>): Pages {
  for (let after = 0; ; ) {
    const page = await next(after)
    yield page
    const last = page.at(-1)
    if (!last || page.length < MIGRATION_BATCH) return
    after = last.pk
  }
}

export async function countEntries(read: Reader, key: string): Promise<number> {
  const { counts } = await read.counters.of(key)
  return Object.values(counts).reduce((sum, count) => sum + count, 0)
}

/** Returns the functions that adapt stored content to a changed config while the tables are created. */
export const createContentAlignment = (model: Model): ContentAlignment => ({
  async fillLocaleTables(writer, collection) {
    for await (const entry of iterateEntries(writer.read, collection)) {
      const canonical = toCanonical(readStoredValues(collection, entry), entry.locales)
      for (const localeRow of toLocaleRows(model, collection, canonical, entry.status))
        await writer.entries.putLocaleRow(entry.pk, entry, localeRow)
    }
  },
  async alignDocuments(writer, collection) {
    const hidden = new Set<string>()
    for await (const entry of iterateOutdated(writer.read, collection)) {
      const { doc, orphaned, fields } = alignDocument(collection, entry)
      for (const key of fields) hidden.add(`${collection.key}.${key}`)
      if (doc !== entry.doc || orphaned !== entry.orphaned)
        await writer.entries.align(collection, { pk: entry.pk, doc, orphaned })
    }
    const pages = iteratePages(writer.read, collection)
    await addMissingRanks(model, writer, collection, pages, { hasLocaleRows: false })
    return [...hidden]
  },
})

/** Finds the fields that still hide stored values, among those that did when the config last changed. */
export async function findHiddenFields(read: Reader, model: Model): Promise<readonly string[]> {
  const hidden: string[] = []
  for (const collection of model.collections.values()) {
    const candidates = new Set(await read.system.hiddenFields(collection.key))
    if (candidates.size === 0) continue
    for await (const entry of iterateOutdated(read, collection)) {
      for (const key of findRefusedFields(collection, entry))
        if (candidates.delete(`${collection.key}.${key}`)) hidden.push(`${collection.key}.${key}`)
      if (candidates.size === 0) break
    }
  }
  return hidden
}

const findRefusedFields = (collection: CollectionModel, entry: StoredEntry): readonly string[] => {
  const migrated = migrateDocument(collection, entry)
  return collection.fields.map(({ key }) => key).filter((key) => isRefusedField(migrated, key))
}

/** The columns from which indexes are built. They must contain the values that reads return. */
interface AlignedDocument extends Pick<StoredEntry, 'doc' | 'orphaned'> {
  /** The fields that hide a stored value. */
  readonly fields: readonly string[]
}

/**
 * Moves values that fields no longer accept to the orphaned values, and values that they accept again back to the document. All other
 * values stay as an older config wrote them.
 */
function alignDocument(collection: CollectionModel, entry: StoredEntry): AlignedDocument {
  const fields = findRefusedFields(collection, entry)
  const orphanedBefore: Values = entry.orphaned ? JSON.parse(entry.orphaned) : {}
  const stored: Values = JSON.parse(entry.doc)
  const movedKeys = collection.fields
    .map(({ key }) => key)
    .filter((key) => fields.includes(key) || Object.hasOwn(orphanedBefore, key))
  if (movedKeys.length === 0) return { doc: entry.doc, orphaned: entry.orphaned, fields }
  const allValues = withOrphanedValues(stored, entry.orphaned)
  const hidden = pickUnplaced(collection, allValues)
  const accepted = toCurrentSchema(collection, allValues)
  const pick = (values: Values): Values =>
    Object.fromEntries(movedKeys.filter((key) => values[key] !== undefined).map((key) => [key, values[key]]))
  const unmovedEntries = Object.entries(orphanedBefore).filter(([key]) => !movedKeys.includes(key))
  const orphaned = { ...Object.fromEntries(unmovedEntries), ...pick(hidden) }
  return {
    doc: JSON.stringify({ ...stored, ...pick(accepted) }),
    orphaned: Object.keys(orphaned).length > 0 ? JSON.stringify(orphaned) : null,
    fields,
  }
}
