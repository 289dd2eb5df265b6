import type { Caller } from '../auth/adapter.ts'
import type { GlobalModel } from '../model/model.ts'
import type { GlobalRow } from '../store/read.ts'
import { demandRead, demandWrite, hiddenFields, withoutUnwritable } from './access.ts'
import { checkBody } from './body.ts'
import { demandRequired, keptOf, mergeFields, referencesOf, reshape, settleFields } from './document.ts'
import { type Answer, actorOf, type Engine, type RunWrite } from './engine.ts'
import { storedValues, tagOf, toAnswer, withSystem } from './present.ts'
import { demandTargets } from './references.ts'
import { demandPreconditions, type Preconditions } from './tags.ts'

/** The row of a global that was never written: its fields are empty, its revision is 0. */
function blankRow(global: GlobalModel): GlobalRow {
  const doc = JSON.stringify(withSystem(global, { key: global.key }, reshape(global, {})))
  return { key: global.key, seq: 0, shape: global.shape, kept: null, doc }
}

/**
 * Reads a global; one that was never written has empty fields.
 *
 * @throws UNAUTHORIZED, FORBIDDEN
 */
export async function readGlobal(engine: Engine, global: GlobalModel, caller: Caller): Promise<Answer> {
  await demandRead(global, caller)
  const row = (await engine.store.read.global(global.key)) ?? blankRow(global)
  return toAnswer(global, row, { hidden: hiddenFields(global, caller) })
}

/**
 * Changes the fields of a global that the body names.
 *
 * @throws VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN, PRECONDITION_REQUIRED, PRECONDITION_FAILED
 */
export async function writeGlobal(
  engine: Engine,
  global: GlobalModel,
  body: unknown,
  caller: Caller,
  options: Preconditions = {},
  run: RunWrite = (work) => engine.store.transaction(work),
): Promise<Answer> {
  const view = { hidden: hiddenFields(global, caller) }
  const input = checkBody(global, 'update', body, caller, view.hidden)
  const found = await engine.store.read.global(global.key)
  await demandWrite(global.access.update, caller)
  const demandCurrent = (row: GlobalRow): void =>
    demandPreconditions(options, row.seq, tagOf(global, row.seq, view), global.requireIfMatch)
  demandCurrent(found ?? blankRow(global))
  const before = found && storedValues(global, found)
  const patch = await settleFields(global, withoutUnwritable(global, caller, input, before), before, engine.tools)
  return run(async (writer) => {
    const stored = await writer.read.global(global.key)
    const row = stored ?? blankRow(global)
    demandCurrent(row)
    const current = storedValues(global, row)
    const values = mergeFields(global, current, patch)
    demandRequired(global, values)
    const references = await demandTargets(engine, writer.read, global, values, referencesOf(global, current), caller)
    const doc = JSON.stringify(withSystem(global, { key: global.key }, values))
    if (stored && stored.doc === doc) return toAnswer(global, stored, view)
    const next = { key: global.key, shape: global.shape, kept: keptOf(global, row), doc }
    const seq = await writer.writeGlobal(next, references, new Date().toISOString(), actorOf(caller), !stored)
    return toAnswer(global, { ...next, seq }, view)
  })
}
