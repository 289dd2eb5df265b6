import type { CollectionModel } from '../../model/model.ts'
import type { LocaleChoice } from '../../query/locale.ts'
import type { EntryRow } from '../../store/reads/rows.ts'
import type { Engine } from '../engine.ts'
import { type ShownDraft, showDraft } from './draft-answer.ts'

/** Entries as their working copies have them, in the same order; those that were deleted meanwhile are left out. */
export async function readDrafts(
  engine: Engine,
  collection: CollectionModel,
  rows: readonly Pick<EntryRow, 'id'>[],
  choice: LocaleChoice,
): Promise<readonly ShownDraft[]> {
  if (rows.length === 0) return []
  const { read } = engine.store
  const ids = rows.map(({ id }) => id)
  const own = engine.model.collections.get(collection.key) ?? collection
  const stored = new Map((await read.entries.storedByIds(own, ids)).map((entry) => [entry.id, entry]))
  const times = await read.schedules.of(collection.key, ids)
  return ids.flatMap((id) => {
    const entry = stored.get(id)
    return entry ? [showDraft(engine, collection, entry, choice, times)] : []
  })
}
