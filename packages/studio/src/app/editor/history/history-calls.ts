import { etagOf } from '@daybook/client'
import type { FieldDescription } from 'daybook'
import type { StudioClient } from '../../talk/client.ts'
import { leavesOf, readLeaf, writeLeaf } from '../saving/document-fields.ts'
import type { Values } from '../saving/saved-field.ts'

/** A version, as a list of them has it. */
export interface Version {
  readonly revision: number
  /** ISO 8601. */
  readonly at: string
  /** The subject of a person; absent where this session may not know people. */
  readonly actor?: string
  readonly action: 'create' | 'update' | 'delete' | 'publish' | 'unpublish' | 'restore' | 'draft'
  readonly isDraft: boolean
  readonly erased?: true
}

/** A page of versions, newest first. */
export interface VersionPage {
  readonly items: readonly Version[]
  readonly nextCursor: string | null
}

/** A version with what the document said; `null`: it was deleted, or its content erased. */
export interface WholeVersion extends Version {
  readonly data: Values | null
}

interface Page {
  readonly limit: number
  readonly cursor: string | null
}

interface Signal {
  readonly signal: AbortSignal
}

/** The history of one document. */
export interface HistoryCalls {
  list(page: Page, options: Signal): Promise<VersionPage>
  one(revision: number, options: Signal): Promise<WholeVersion>
  /** Makes what a version says the working copy; where there is none, what readers see. */
  restore(revision: number): Promise<unknown>
}

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
