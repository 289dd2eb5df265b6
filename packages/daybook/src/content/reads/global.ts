import type { GlobalModel } from '../../model/model.ts'
import { type DocumentQuery, readDocumentQuery } from '../../query/document-query.ts'
import { listExpandedCollections } from '../../query/expansion.ts'
import type { LocaleChoice } from '../../query/locale-parameters.ts'
import type { Query } from '../../query/parameters.ts'
import type { GlobalRow } from '../../store/rows.ts'
import { hasLinks } from '../../store/tables/tables.ts'
import type { Access } from '../access/access.ts'
import { resolveCallerScope } from '../access/caller-scope.ts'
import type { ContentContext } from '../context.ts'
import { toCurrentSchema } from '../documents/orphaned-values.ts'
import { mergeFields } from '../documents/prepare-fields.ts'
import { readStoredValues, toCanonical, withSystemKeys } from '../documents/row.ts'
import { localizeValues, requireLocale } from '../locales/locale.ts'
import { withLinksPart } from './etags.ts'
import { openExpansion, presentExpanded, toExpandedTag } from './expand.ts'
import { present, toProjectionTag } from './present.ts'
import { linkableCollections, resolveLinks, toLinksPart } from './resolve-links.ts'
import { type LazyResponse, toSurrogateKeys } from './response.ts'

/** Creates the row of a global that was never written, with empty fields and revision 0. */
export function toBlankRow(global: GlobalModel): GlobalRow {
  const doc = JSON.stringify(withSystemKeys(global, { key: global.key }, toCurrentSchema(global, {})))
  const nobody = { created_by: null, updated_by: null }
  return { key: global.key, ...nobody, seq: 0, schema_hash: global.schemaHash, orphaned: null, locales: null, doc }
}

/**
 * Reads a global. A global that was never written has empty fields.
 *
 * @throws VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN
 */
export async function readGlobal(
  context: ContentContext,
  access: Access,
  global: GlobalModel,
  query: Query<DocumentQuery>,
): Promise<LazyResponse> {
  const choice = requireLocale(context.model, query.partial, access)
  await access.authorizeRead(global)
  const row = (await context.store.read.globals.byKey(global.key)) ?? toBlankRow(global)
  const surrogateKey = `globals:${global.key}`
  const linkScope = hasLinks(row) ? await resolveCallerScope(access, choice) : undefined
  const linksPart = linkScope && (await toLinksPart(linkScope, context.store.read.counters.current()))
  const linked = linkScope ? linkableCollections(linkScope) : []
  if (query.isEmpty) {
    const projection = { hidden: access.hidden(global), hasAuthors: access.canSeeAuthors(global) }
    return {
      tag: withLinksPart(toProjectionTag(global, row.seq, projection), linksPart),
      surrogateKeys: () => toSurrogateKeys(surrogateKey, linked),
      read: async () => {
        const localized = localizeGlobal(context, global, row, choice)
        const [shownRow = localized] = linkScope
          ? await resolveLinks(context, linkScope, global, [localized])
          : [localized]
        return present(global, shownRow, projection)
      },
    }
  }
  const scope = await resolveCallerScope(access, choice)
  const selection = readDocumentQuery(global, query, scope)
  const expansion = await openExpansion(context, selection, scope)
  return {
    tag: withLinksPart(toExpandedTag(expansion, global, row.seq, selection), linksPart),
    surrogateKeys: () => {
      const related = [...listExpandedCollections(selection), ...linked]
      return toSurrogateKeys(surrogateKey, [...related, ...scope.getRuleCollections(related)])
    },
    read: async () => {
      const [json = ''] = await presentExpanded(
        expansion,
        global,
        [localizeGlobal(context, global, row, choice)],
        selection,
      )
      return json
    },
  }
}

export function localizeGlobal(
  { model }: ContentContext,
  global: GlobalModel,
  row: GlobalRow,
  choice: LocaleChoice,
): GlobalRow {
  if (!model.locales || global.localized.size === 0) return row
  const values = localizeValues(model, global, toCanonical(readStoredValues(global, row), row.locales), choice)
  const doc = JSON.stringify(withSystemKeys(global, { key: global.key }, mergeFields(global, {}, values)))
  return { ...row, doc, schema_hash: global.schemaHash, orphaned: null }
}
