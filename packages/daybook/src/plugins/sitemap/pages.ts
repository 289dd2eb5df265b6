import type { PathTemplate } from '../entry-path.ts'
import type { ListedEntry, Lists } from '../lists.ts'
import { inLocaleOf, type ListedCollection } from './listed-collection.ts'

/** An entry with its pages. */
export interface EntryPages {
  /** ISO 8601. */
  readonly updatedAt: string
  readonly pages: readonly EntryPage[]
}

/** A page of an entry: one of several where the entry has one for each locale. */
export interface EntryPage {
  readonly locale: string | undefined
  /** Percent-encoded. */
  readonly path: string
}

/** How many entries are read at once; a collection may allow fewer. */
const BATCH = 500

/** A run of a collection's entries, the oldest first. */
export interface EntryRun {
  readonly offset: number
  readonly count: number
}

/** Reads the pages of a run of entries, some entries at a time. */
export async function* entryPages(
  lists: Lists,
  collection: ListedCollection,
  { offset, count }: EntryRun,
): AsyncGenerator<readonly EntryPages[]> {
  const [first] = collection.templates
  if (!first) return
  const query = { ...selectionOf(first), sort: 'createdAt', limit: BATCH }
  let list = await lists.list(collection.key, { ...query, offset })
  for (let left = count; left > 0; ) {
    const entries = list.items.slice(0, left)
    yield await pagesOf(lists, collection, entries)
    left -= entries.length
    if (list.nextCursor === null || entries.length === 0) return
    if (left > 0) list = await lists.list(collection.key, { ...query, cursor: list.nextCursor })
  }
}

const selectionOf = (template: PathTemplate) => ({
  select: [...new Set([...template.fields, 'updatedAt'])],
  ...inLocaleOf(template),
})

/** The pages of entries, which were read in the first locale. */
async function pagesOf(
  lists: Lists,
  { key, templates: [first, ...others] }: ListedCollection,
  entries: readonly ListedEntry[],
): Promise<readonly EntryPages[]> {
  const where = { id: { in: entries.map(({ id }) => String(id)) } }
  const translations = await Promise.all(
    others.map(async (template) => {
      const query = { ...selectionOf(template), where, limit: entries.length }
      const { items } = await lists.list(key, query)
      return { template, byId: new Map(items.map((entry) => [entry.id, entry])) }
    }),
  )
  return entries.map((entry) => ({
    updatedAt: String(entry.updatedAt),
    pages: [
      ...(first ? pageOf(first, entry) : []),
      ...translations.flatMap(({ template, byId }) => pageOf(template, byId.get(entry.id))),
    ],
  }))
}

function pageOf(template: PathTemplate, entry: ListedEntry | undefined): readonly EntryPage[] {
  const path = entry && template.pathOf(entry)
  return path === undefined ? [] : [{ locale: template.locale, path }]
}
