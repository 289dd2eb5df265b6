import type { GlobalModel } from '../../model/model.ts'
import { type DocumentQuery, readEntryQuery } from '../../query/entry-query.ts'
import type { LocaleChoice } from '../../query/locale.ts'
import type { Query } from '../../query/parameters.ts'
import type { GlobalRow } from '../../store/reads/rows.ts'
import type { Access } from '../access/access.ts'
import { readerScope } from '../access/reader-scope.ts'
import type { Answer } from '../answer.ts'
import { mergeFields, toCurrentSchema } from '../document.ts'
import type { Engine } from '../engine.ts'
import { chosenValues, requireLocale } from '../locales/locale.ts'
import { toCanonical } from '../writes/row.ts'
import { answerExpanded } from './expand.ts'
import { storedValues, toAnswer, withSystem } from './present.ts'

/** The row of a global that was never written: its fields are empty, its revision is 0. */
export function blankRow(global: GlobalModel): GlobalRow {
  const doc = JSON.stringify(withSystem(global, { key: global.key }, toCurrentSchema(global, {})))
  const nobody = { created_by: null, updated_by: null }
  return { key: global.key, ...nobody, seq: 0, shape: global.schemaHash, kept: null, locales: null, doc }
}

/**
 * Reads a global; one that was never written has empty fields.
 *
 * @throws VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN
 */
export async function readGlobal(
  engine: Engine,
  access: Access,
  global: GlobalModel,
  query: Query<DocumentQuery>,
): Promise<Answer> {
  const choice = requireLocale(engine.model, query.partial, access)
  await access.requireRead(global)
  const row = globalIn(engine, global, (await engine.store.read.globals.byKey(global.key)) ?? blankRow(global), choice)
  if (query.isEmpty)
    return toAnswer(global, row, { hidden: access.hidden(global), hasPeople: access.seesPeople(global) })
  const scope = await readerScope(access, choice)
  return answerExpanded(engine, global, row, readEntryQuery(global, query, scope), scope)
}

/** A stored global in the language that is asked for. */
export function globalIn({ model }: Engine, global: GlobalModel, row: GlobalRow, choice: LocaleChoice): GlobalRow {
  if (!model.locales || global.localized.size === 0) return row
  const values = chosenValues(model, global, toCanonical(storedValues(global, row), row.locales), choice)
  const doc = JSON.stringify(withSystem(global, { key: global.key }, mergeFields(global, {}, values)))
  return { ...row, doc, shape: global.schemaHash, kept: null }
}
