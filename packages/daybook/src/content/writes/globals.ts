import type { GlobalModel } from '../../model/model.ts'
import type { GlobalRow } from '../../store/reads/rows.ts'
import type { Answer } from '../answer.ts'
import { mergeFields, stillOrphaned } from '../document.ts'
import { blankRow, globalIn } from '../reads/global.ts'
import { toAnswer, withSystem } from '../reads/present.ts'
import { type ChangeTarget, checkChange, type UpdateOptions } from './change.ts'
import type { WriteContext } from './context.ts'
import type { PreparedWrite } from './pipeline.ts'
import { Revision } from './revision.ts'
import { allReferences, translationsOf } from './row.ts'

/**
 * Prepares a change of a global; one that was never written gets its defaults besides.
 *
 * @throws as {@link checkChange}, and what it answers
 */
export async function prepareGlobal(
  context: WriteContext,
  global: GlobalModel,
  body: unknown,
  options: UpdateOptions = {},
): Promise<PreparedWrite<Answer>> {
  return checkChange(context, globalTarget(context, global, options), body, options)()
}

function globalTarget(
  { engine, access, actor, person, locale }: WriteContext,
  global: GlobalModel,
  { ifNoneMatch }: UpdateOptions,
): ChangeTarget<GlobalRow, Answer> {
  const { model } = engine
  const shown = { locale, chain: undefined, isAll: false }
  let asked: Promise<void> | undefined
  const requireAccess = async (): Promise<void> => {
    await access.requireRead(global)
    await access.requireWrite(global, 'update')
  }
  return {
    document: global,
    id: global.key,
    // A global that was never written has no version to name: If-None-Match: * says as much.
    isMatchRequired: global.requireIfMatch && ifNoneMatch === undefined,
    load: async (read) => (await read.globals.byKey(global.key)) ?? blankRow(global),
    parse: (row) => new Revision(model, global, row),
    // Its rules look at no entry: they are asked once, and never inside a transaction.
    requireChange: () => {
      asked ??= requireAccess()
      return asked
    },
    allowResult: async () => undefined,
    derive: async (_read, values) => values,
    store: async (writer, revision, { canonical, mayBeSame }, rights) => {
      const { row } = revision
      const doc = JSON.stringify(withSystem(global, { key: global.key }, mergeFields(global, {}, canonical.values)))
      const locales = translationsOf(canonical)
      const people = { created_by: row.seq > 0 ? row.created_by : person, updated_by: person }
      const next = {
        key: global.key,
        ...people,
        schema_hash: global.schemaHash,
        orphaned: stillOrphaned(global, canonical.values, revision.orphaned),
        locales,
        doc,
      }
      if (mayBeSame && isSameGlobal(row, next)) return toAnswer(global, globalIn(engine, global, row, shown), rights)
      const references = allReferences(model, global, canonical)
      const before = row.seq > 0 ? row : undefined
      const seq = await writer.globals.write(before, next, references, new Date().toISOString(), actor)
      return toAnswer(global, globalIn(engine, global, { ...next, seq }, shown), rights)
    },
  }
}

/** Whether a write would change nothing. What an older config wrote is always brought up to date, whatever it holds. */
function isSameGlobal(stored: GlobalRow, next: Omit<GlobalRow, 'seq'>): boolean {
  const isWritten = stored.seq > 0
  return (
    isWritten && stored.schema_hash === next.schema_hash && stored.doc === next.doc && stored.locales === next.locales
  )
}
