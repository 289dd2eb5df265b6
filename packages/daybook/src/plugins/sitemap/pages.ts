import type { PathTemplate } from '../entry-path.ts'
import type { ListedEntry, Lists } from '../lists.ts'
import { inLocaleOf, type ListedCollection } from './listed-collection.ts'

/** A page of an entry, with those of its translations. */
export interface TranslatedPage {
  /** ISO 8601. */
  readonly updatedAt: string
  readonly page: EntryPage
  /** All pages of the entry, this one too. */
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

/** A run of a collection's entries in one locale, the oldest first. */
export interface EntryRun {
  readonly template: PathTemplate
  readonly offset: number
  readonly count: number
}

/** Reads the pages of a run of entries, some entries at a time. */
export async function* entryPages(
  lists: Lists,
  collection: ListedCollection,
  { template, offset, count }: EntryRun,
): AsyncGenerator<readonly TranslatedPage[]> {
  const query = { ...selectionOf(template), sort: 'createdAt', limit: BATCH }
  let list = await lists.list(collection.key, { ...query, offset })
  for (let left = count; left > 0; ) {
    const entries = list.items.slice(0, left)
    yield await pagesOf(lists, collection, template, entries)
    left -= entries.length
    if (list.nextCursor === null || entries.length === 0) return
    if (left > 0) list = await lists.list(collection.key, { ...query, cursor: list.nextCursor })
  }
}

const selectionOf = (template: PathTemplate) => ({
  select: [...new Set([...template.fields, 'updatedAt'])],
  ...inLocaleOf(template),
})

/** The pages of entries in the locale in which they were read, beside those in the others. */
async function pagesOf(
  lists: Lists,
  { key, templates }: ListedCollection,
  own: PathTemplate,
  entries: readonly ListedEntry[],
): Promise<readonly TranslatedPage[]> {
  const where = { id: { in: entries.map(({ id }) => String(id)) } }
  const translations = await Promise.all(
    templates.map(async (template) => {
      const query = { ...selectionOf(template), where, limit: entries.length }
      const items = template === own ? entries : (await lists.list(key, query)).items
      return { template, byId: new Map(items.map((entry) => [entry.id, entry])) }
    }),
  )
  return entries.flatMap((entry) => {
    const pages = translations.flatMap(({ template, byId }) => pageOf(template, byId.get(entry.id)))
    return pageOf(own, entry).map((page) => ({ updatedAt: String(entry.updatedAt), page, pages }))
  })
}

function pageOf(template: PathTemplate, entry: ListedEntry | undefined): readonly EntryPage[] {
  const path = entry && template.pathOf(entry)
  return path === undefined ? [] : [{ locale: template.locale, path }]
}
