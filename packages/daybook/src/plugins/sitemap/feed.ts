import type { ListOptions, ListResult } from '../../index.ts'
import type { PathTemplate } from '../entry-path.ts'
import type { ListedEntry } from '../lists.ts'
import { inLocaleOf } from './listed-collection.ts'
import type { FeedOptions } from './options.ts'

/** A feed, whatever it is written as. */
export interface Feed {
  readonly title: string
  readonly description: string
  /** The author of entries that name none. */
  readonly author: string
  /** Absolute address of the site. */
  readonly home: string
  /** Absolute address of the feed. */
  readonly self: string
  /** A tag of a language (BCP 47). */
  readonly language: string | undefined
  /** When an entry last changed. */
  readonly updated: Date
  readonly items: readonly FeedItem[]
}

/** An entry in a feed. */
export interface FeedItem {
  /** UUID. */
  readonly id: string
  /** Absolute address of its page. */
  readonly url: string
  readonly title: string
  /** Plain text. */
  readonly summary: string | undefined
  /** HTML. */
  readonly content: string | undefined
  readonly authors: readonly string[]
  readonly published: Date
  readonly updated: Date
}

/** Where a feed is. */
export type FeedPlace = Pick<Feed, 'home' | 'self'>

const DEFAULT_LIMIT = 20

/** The list that a feed shows. */
export function feedQuery({ fields = {}, limit = DEFAULT_LIMIT }: FeedOptions, template: PathTemplate): ListOptions {
  const { title = 'title', summary, content, date = 'createdAt', author } = fields
  const shown = [...template.fields, title, summary, content, date, author, 'createdAt', 'updatedAt']
  const relation = author?.split('.').slice(0, -1).join('.')
  return {
    limit,
    sort: `-${date}`,
    select: [...new Set(shown.filter((field) => field !== undefined))],
    include: relation ? [relation] : [],
    ...inLocaleOf(template),
  }
}

/** The feed of a list. */
export function toFeed(
  { title, description = title, author = title, fields = {} }: FeedOptions,
  { items }: ListResult<ListedEntry>,
  template: PathTemplate,
  place: FeedPlace,
): Feed {
  const dates = items.map(({ updatedAt }) => Date.parse(String(updatedAt)))
  const shown = items.flatMap((entry) => {
    const path = template.pathOf(entry)
    return path === undefined ? [] : [toItem(entry, `${place.home}${path}`, fields)]
  })
  const language = template.locale
  return { title, description, author, language, ...place, updated: new Date(Math.max(0, ...dates)), items: shown }
}

function toItem(entry: ListedEntry, url: string, fields: NonNullable<FeedOptions['fields']>): FeedItem {
  const { title = 'title', summary, content, date = 'createdAt', author } = fields
  const value = (field: string | undefined): string | undefined =>
    field === undefined ? undefined : textsAt(entry, field.split('.'))[0]
  return {
    id: String(entry.id),
    url,
    title: value(title) ?? url,
    summary: value(summary),
    content: value(content),
    authors: author === undefined ? [] : textsAt(entry, author.split('.')),
    published: dateOf(value(date)) ?? new Date(String(entry.createdAt)),
    updated: new Date(String(entry.updatedAt)),
  }
}

/** The texts at a path; a list on the way has several. */
function textsAt(value: unknown, path: readonly string[]): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((one) => textsAt(one, path))
  const [key, ...rest] = path
  if (key === undefined) return typeof value === 'string' && value !== '' ? [value] : []
  if (typeof value !== 'object' || value === null) return []
  return textsAt((value as Readonly<Record<string, unknown>>)[key], rest)
}

function dateOf(text: string | undefined): Date | undefined {
  const date = new Date(text ?? '')
  return Number.isNaN(date.getTime()) ? undefined : date
}
