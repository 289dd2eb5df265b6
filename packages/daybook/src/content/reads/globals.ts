import type { Caller } from '../../auth/adapter.ts'
import type { GlobalModel } from '../../model/model.ts'
import { type DocumentQuery, readEntryQuery } from '../../query/entry-query.ts'
import type { LocaleChoice } from '../../query/locale.ts'
import type { Query } from '../../query/parameters.ts'
import type { GlobalRow } from '../../store/rows.ts'
import { hiddenFields, queryScope, requireRead } from '../access/access.ts'
import { mergeFields, reshape } from '../document.ts'
import type { Answer, Engine } from '../engine.ts'
import { documentTag } from '../etags.ts'
import { chosenValues, requireLocale } from '../locales/locale.ts'
import { toCanonical } from '../writes/row.ts'
import { expandedVariant } from './entries.ts'
import { presentExpanded } from './expand.ts'
import { storedValues, toAnswer, withSystem } from './present.ts'

/** The row of a global that was never written: its fields are empty, its revision is 0. */
export function blankRow(global: GlobalModel): GlobalRow {
  const doc = JSON.stringify(withSystem(global, { key: global.key }, reshape(global, {})))
  return { key: global.key, seq: 0, shape: global.schemaHash, kept: null, locales: null, doc }
}

/**
 * Reads a global; one that was never written has empty fields.
 *
 * @throws VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN
 */
export async function readGlobal(
  engine: Engine,
  global: GlobalModel,
  query: Query<DocumentQuery>,
  caller: Caller,
): Promise<Answer> {
  const choice = requireLocale(engine.model, query.partial, caller)
  await requireRead(engine.model, global, caller)
  const row = globalIn(engine, global, (await engine.store.read.globals.byKey(global.key)) ?? blankRow(global), choice)
  const hidden = hiddenFields(global, caller)
  if (query.isEmpty) return toAnswer(global, row, { hidden })
  const scope = await queryScope(engine.model, caller, choice)
  const selection = readEntryQuery(global, query, scope)
  const variant = await expandedVariant(engine, global, selection, scope, caller)
  const [json = ''] = await presentExpanded(engine, global, [row], selection, scope)
  return { json, tag: documentTag(row.seq, variant), seq: row.seq }
}

/** A stored global in the language that is asked for. */
export function globalIn({ model }: Engine, global: GlobalModel, row: GlobalRow, choice: LocaleChoice): GlobalRow {
  if (!model.locales || global.localized.size === 0) return row
  const values = chosenValues(model, global, toCanonical(storedValues(global, row), row.locales), choice)
  const doc = JSON.stringify(withSystem(global, { key: global.key }, mergeFields(global, {}, values)))
  return { ...row, doc, shape: global.schemaHash, kept: null }
}
