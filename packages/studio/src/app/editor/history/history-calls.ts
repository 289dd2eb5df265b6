import { etagOf } from '@daybook/client'
import type { FieldDescription } from 'daybook'
import type { StudioClient } from '../../talk/client.ts'
import { leavesOf, readLeaf, writeLeaf } from '../saving/document-fields.ts'
import type { Values } from '../saving/saved-field.ts'
import type { HistoryCalls, Page, Signal, VersionPage, WholeVersion } from './versions.ts'

interface EntryHistory {
  versions(id: string, page: Page, options: Signal): Promise<VersionPage>
  version(id: string, revision: number, query: Values, options: Signal): Promise<WholeVersion>
  restore(id: string, revision: number): Promise<unknown>
}

interface GlobalHistory {
  get(): Promise<object>
  update(data: Values, options: { readonly ifMatch: string }): Promise<object>
  versions(page: Page, options: Signal): Promise<VersionPage>
  version(revision: number, query: Values, options?: Signal): Promise<WholeVersion>
}

/** What is asked of a version in one language: what it said itself. Of all languages at once, nothing falls back anyway. */
function queryOf(locale: string): Values {
  if (locale === '' || locale === 'all') return locale === '' ? {} : { locale }
  return { locale, fallbackLocale: 'none' }
}

/** The history of an entry. */
export function entryHistory(client: StudioClient, collection: string, id: string, locale: string): HistoryCalls {
  const calls = client.collections[collection] as unknown as EntryHistory
  return {
    list: (page, options) => calls.versions(id, page, options),
    one: (revision, options) => calls.version(id, revision, queryOf(locale), options),
    restore: (revision) => calls.restore(id, revision),
  }
}

/** The history of a global. The service restores entries alone: here, what the version said is saved again. */
export function globalHistory(
  client: StudioClient,
  key: string,
  fields: readonly FieldDescription[],
  locale: string,
): HistoryCalls {
  const calls = client.globals[key] as unknown as GlobalHistory
  return {
    list: (page, options) => calls.versions(page, options),
    one: (revision, options) => calls.version(revision, queryOf(locale), options),
    restore: async (revision) => {
      const present = await calls.get()
      const { data } = await calls.version(revision, {})
      const leaves = [...leavesOf(fields, { hasWholeGroups: true }).values()]
      const body = leaves.reduce<Values>(
        (values, leaf) => writeLeaf(values, leaf, leaf.plain(readLeaf(data ?? {}, leaf))),
        {},
      )
      return calls.update(body, { ifMatch: etagOf(present) })
    },
  }
}
