import type { CollectionModel } from '../../model/model.ts'
import type { LocaleChoice } from '../../query/locale.ts'
import type { EntryRow } from '../../store/reads/rows.ts'
import type { Access } from '../access/access.ts'
import { findVisibleDrafts } from '../access/draft-access.ts'
import type { Engine } from '../engine.ts'
import { type ShownDraft, showDraft } from './draft-answer.ts'

/**
 * Reads entries as their drafts have them, in the same order; those that were deleted meanwhile are left out. An entry whose drafts do
 * not exist for the caller is read as it is published.
 */
export async function readDrafts(
  engine: Engine,
  access: Access,
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
  const visible = await findVisibleDrafts(access, read, collection, ids)
  return ids.flatMap((id) => {
    const entry = stored.get(id)
    if (!entry) return []
    const isVisible = visible.has(id)
    return [
      showDraft(engine, collection, isVisible ? entry : { ...entry, draft: null }, choice, isVisible ? times : []),
    ]
  })
}
