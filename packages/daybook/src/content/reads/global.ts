import type { GlobalModel } from '../../model/model.ts'
import { type DocumentQuery, readEntryQuery } from '../../query/entry-query.ts'
import { collectionsOf } from '../../query/expansion.ts'
import type { LocaleChoice } from '../../query/locale.ts'
import type { Query } from '../../query/parameters.ts'
import type { GlobalRow } from '../../store/reads/rows.ts'
import type { Access } from '../access/access.ts'
import { readerScope } from '../access/reader-scope.ts'
import { mergeFields, toCurrentSchema } from '../documents/document.ts'
import { storedValues, toCanonical, withSystem } from '../documents/row.ts'
import type { Engine } from '../engine.ts'
import { chosenValues, requireLocale } from '../locales/locale.ts'
import { type LazyResponse, toSurrogateKeys } from './answer.ts'
import { expandedTag, openExpansion, presentExpanded } from './expand.ts'
import { present, tagOf } from './present.ts'

/** The row of a global that was never written: its fields are empty, its revision is 0. */
export function blankRow(global: GlobalModel): GlobalRow {
  const doc = JSON.stringify(withSystem(global, { key: global.key }, toCurrentSchema(global, {})))
  const nobody = { created_by: null, updated_by: null }
  return { key: global.key, ...nobody, seq: 0, schema_hash: global.schemaHash, orphaned: null, locales: null, doc }
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
): Promise<LazyResponse> {
  const choice = requireLocale(engine.model, query.partial, access)
  await access.requireRead(global)
  const row = (await engine.store.read.globals.byKey(global.key)) ?? blankRow(global)
  const surrogateKey = `globals:${global.key}`
  if (query.isEmpty) {
    const projection = { hidden: access.hidden(global), hasPeople: access.seesPeople(global) }
    return {
      tag: tagOf(global, row.seq, projection),
      surrogateKeys: () => [surrogateKey],
      read: async () => present(global, globalIn(engine, global, row, choice), projection),
    }
  }
  const scope = await readerScope(access, choice)
  const selection = readEntryQuery(global, query, scope)
  const expansion = await openExpansion(engine, selection, scope)
  return {
    tag: expandedTag(expansion, global, row.seq, selection),
    surrogateKeys: () => {
      const related = collectionsOf(selection)
      return toSurrogateKeys(surrogateKey, [...related, ...scope.filterDependencies(related)])
    },
    read: async () => {
      const [json = ''] = await presentExpanded(expansion, global, [globalIn(engine, global, row, choice)], selection)
      return json
    },
  }
}

/** A stored global in the language that is asked for. */
export function globalIn({ model }: Engine, global: GlobalModel, row: GlobalRow, choice: LocaleChoice): GlobalRow {
  if (!model.locales || global.localized.size === 0) return row
  const values = chosenValues(model, global, toCanonical(storedValues(global, row), row.locales), choice)
  const doc = JSON.stringify(withSystem(global, { key: global.key }, mergeFields(global, {}, values)))
  return { ...row, doc, schema_hash: global.schemaHash, orphaned: null }
}
