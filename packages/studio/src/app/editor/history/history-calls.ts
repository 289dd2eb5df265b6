import { etagOf } from '@daybook/client'
import type { FieldDescription } from 'daybook'
import type { StudioClient } from '../../api/client.ts'
import { listLeaves, readLeaf, writeLeaf } from '../saving/document-fields.ts'
import type { Values } from '../saving/field-values.ts'
import type { AbortOptions, FullVersion, HistoryCalls, PageQuery, VersionPage } from './versions.ts'

interface EntryCalls {
  versions(id: string, page: PageQuery, options: AbortOptions): Promise<VersionPage>
  version(id: string, revision: number, query: Values, options: AbortOptions): Promise<FullVersion>
  restore(id: string, revision: number): Promise<unknown>
}

interface GlobalCalls {
  get(): Promise<object>
  update(data: Values, options: { readonly ifMatch: string }): Promise<object>
  versions(page: PageQuery, options: AbortOptions): Promise<VersionPage>
  version(revision: number, query: Values, options?: AbortOptions): Promise<FullVersion>
}

/** Returns the query for a version in one language without fallbacks. With `all` locales there are none anyway. */
function buildQuery(locale: string): Values {
  if (locale === '' || locale === 'all') return locale === '' ? {} : { locale }
  return { locale, fallbackLocale: 'none' }
}

export function createEntryHistory(client: StudioClient, collection: string, id: string, locale: string): HistoryCalls {
  const calls = client.collections[collection] as unknown as EntryCalls
  return {
    list: (page, options) => calls.versions(id, page, options),
    get: (revision, options) => calls.version(id, revision, buildQuery(locale), options),
    restore: (revision) => calls.restore(id, revision),
  }
}

/** Creates the calls for the history of a global. Since the service restores only entries, `restore` saves the values of the version again. */
export function createGlobalHistory(
  client: StudioClient,
  key: string,
  fields: readonly FieldDescription[],
  locale: string,
): HistoryCalls {
  const calls = client.globals[key] as unknown as GlobalCalls
  return {
    list: (page, options) => calls.versions(page, options),
    get: (revision, options) => calls.version(revision, buildQuery(locale), options),
    restore: async (revision) => {
      const current = await calls.get()
      const { data } = await calls.version(revision, {})
      const leaves = [...listLeaves(fields, { hasWholeGroups: true }).values()]
      const body = leaves.reduce<Values>(
        (values, leaf) => writeLeaf(values, leaf, leaf.toPlain(readLeaf(data ?? {}, leaf))),
        {},
      )
      return calls.update(body, { ifMatch: etagOf(current) })
    },
  }
}
