import { COMMONEST_WORD, type Targets } from './text.ts'

interface Page<Item> {
  readonly items: readonly Item[]
  readonly nextCursor: string | null
}

async function readPage<Item>(url: string): Promise<Page<Item>> {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`GET ${url} responded ${response.status}`)
  return (await response.json()) as Page<Item>
}

export async function readTargets(url: string): Promise<Targets> {
  const readIds = async (collection: string): Promise<readonly string[]> =>
    (await readPage<{ id: string }>(`${url}/api/${collection}?limit=100`)).items.map(({ id }) => id)
  return { authors: await readIds('authors'), tags: await readIds('tags') }
}

/** A published post in the order of the list of posts. */
export interface PostRow {
  /** Its place in the list, from 1. */
  readonly position: number
  readonly slug: string
  /** JSON of the entry. */
  readonly doc: string
  /** JSON of the entry with its author included. */
  readonly joined: string
}

/** The addresses that are requested from a store, and the ids for new posts. */
export interface Addresses {
  readonly list: string
  readonly include: string
  readonly search: string
  /** At most 10,000 entries from all over the store, shuffled. */
  readonly entries: readonly string[]
  /** Pages of 20 at 50 places of the list at most, with the positions of their first entries. */
  readonly pages: readonly { readonly path: string; readonly first: number }[]
  readonly targets: Targets
}

const MAX_ENTRIES = 10_000
const MAX_PAGES = 50
const PAGE_LIMIT = 100
/** A prime number, so that steps of this length reach every entry. */
const SHUFFLE_STEP = 7919

interface Author {
  readonly id: string
}

/** Reads the whole list of posts. @param onRows receives the posts of each page */
export async function findAddresses(
  url: string,
  onRows: (rows: readonly PostRow[]) => unknown = () => {},
): Promise<Addresses> {
  const authors = await readPage<Author>(`${url}/api/authors?limit=100`)
  const authorsById = new Map(authors.items.map((author) => [author.id, author]))
  const slugs: string[] = []
  const cursors: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const suffix: string = cursor && `&cursor=${cursor}`
    const page: Page<{ slug: string; author: string }> = await readPage(`${url}/api/posts?limit=${PAGE_LIMIT}${suffix}`)
    const rows = page.items.map((post, index) => ({
      position: slugs.length + index + 1,
      slug: post.slug,
      doc: JSON.stringify(post),
      joined: JSON.stringify({ ...post, author: authorsById.get(post.author) }),
    }))
    await onRows(rows)
    slugs.push(...rows.map(({ slug }) => slug))
    cursor = page.nextCursor
    if (cursor !== null) cursors.push(cursor)
  }
  return {
    list: '/api/posts',
    include: '/api/posts?include=author',
    search: `/api/posts?q=${COMMONEST_WORD}`,
    entries: shuffle(sampleEvenly(slugs, MAX_ENTRIES)).map((slug) => `/api/posts/${slug}`),
    pages: sampleEvenly(
      cursors.map((cursor, index) => ({ path: `/api/posts?cursor=${cursor}`, first: (index + 1) * PAGE_LIMIT + 1 })),
      MAX_PAGES,
    ),
    targets: await readTargets(url),
  }
}

function sampleEvenly<T>(items: readonly T[], count: number): readonly T[] {
  const step = Math.ceil(items.length / count)
  return items.filter((_, index) => index % step === 0)
}

/** Orders items so that neighbours are far apart; the same in every run. */
const shuffle = <T>(items: readonly T[]): readonly T[] =>
  items.map((_, index) => items[(index * SHUFFLE_STEP) % items.length] as T)
