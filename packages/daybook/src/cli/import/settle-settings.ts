import { FULL_RIGHTS } from '../../content/access/field-access.ts'
import type { Values } from '../../content/document.ts'
import { checkBody } from '../../content/writes/body.ts'
import type { CollectionModel } from '../../model/model.ts'
import type { Store } from '../../store/store.ts'
import { FileError } from './file-error.ts'
import type { ImportPlan } from './plan.ts'
import type { Relations } from './relations.ts'
import { refuseSetting } from './settings.ts'

/**
 * The same plan with ids in place of names; missing entries are created where a name is enough.
 *
 * @throws {UsageError} when a relation cannot hold its value
 */
export async function settleSettings(plan: ImportPlan, relations: Relations, { read }: Store): Promise<ImportPlan> {
  const settings: Values = { ...plan.settings }
  for (const [key, value] of Object.entries(settings)) {
    const target = plan.fields.get(key)
    if (!target?.refersTo) continue
    try {
      settings[key] = await relations.resolve(target, value)
      const { [key]: found } = checkBody(plan.collection, 'update', { [key]: settings[key] }, FULL_RIGHTS)
      for (const id of [found].flat()) await requireEntry(target.refersTo, read, id)
    } catch (error) {
      throw refuseSetting(key, String(value), error)
    }
  }
  return { ...plan, settings }
}

async function requireEntry(collection: CollectionModel, read: Store['read'], id: unknown): Promise<void> {
  if (typeof id !== 'string' || (await read.entries.stored(collection, id.toLowerCase()))) return
  throw new FileError(`${collection.key} has no entry with the id ${id}`)
}
