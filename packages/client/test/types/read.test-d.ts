// The types of results by query. tsc checks this file; it never runs.
import { type Client, createClient, type EntryOf, type ListQuery } from '@daybook/client'
import type { DraftEntry, Entry, GlobalEntry, ListResult, TocEntry } from 'daybook'
import { type Equal, holds } from '../../../daybook/test/types/expect.ts'
import type { Library } from './showcase.ts'

type Book = Entry<Library, 'books'>
type Person = Entry<Library, 'people'>
type Company = Entry<Library, 'companies'>

type Name = { readonly id: string; readonly name: string }

export async function plain({ collections: { books }, globals }: Client<Library>): Promise<void> {
  const page = await books.findMany()
  const limited = await books.findMany({ limit: 5, offset: 5, locale: 'de', fallbackLocale: 'none' })
  const bySlug = await books.findBySlug('a')
  const byId = await books.findById('a', {})
  const front = await globals.front.get()
  holds<Equal<typeof page, ListResult<Book>>>()
  holds<Equal<typeof limited, ListResult<Book>>>()
  holds<Equal<typeof bySlug, Book | null>>()
  holds<Equal<typeof byId, Book | null>>()
  holds<Equal<typeof front, GlobalEntry<Library, 'front'>>>()
  for await (const book of books.iterate({ sort: 'title' })) holds<Equal<typeof book, Book>>()

  // @ts-expect-error the entry may be null
  bySlug.title
  // @ts-expect-error unknown collection
  await client.collections.bookz.findMany()
  // @ts-expect-error globals have no findMany
  await globals.front.findMany()
}

export async function selected({ collections: { books }, globals }: Client<Library>): Promise<void> {
  const { items } = await books.findMany({ select: ['title', 'pages'] })
  const entry = await books.findBySlug('a', { select: ['bodyHtml', 'bodyToc', 'createdAt'] })
  const front = await globals.front.get({ select: ['title'] })
  const none = await books.findById('a', { select: [] })
  holds<Equal<(typeof items)[number], { readonly id: string; readonly title: string; readonly pages: number | null }>>()
  holds<
    Equal<
      typeof entry,
      {
        readonly id: string
        readonly bodyHtml: string | null
        readonly bodyToc: readonly TocEntry[] | null
        readonly createdAt: string
      } | null
    >
  >()
  holds<Equal<typeof front, { readonly key: 'front'; readonly title: string }>>()
  holds<Equal<typeof none, Book | null>>()

  // @ts-expect-error unknown field
  await books.findMany({ select: ['titel'] })
  // @ts-expect-error a relation that is not included
  await books.findMany({ select: ['author.name'] })
  // @ts-expect-error a field that was not selected
  items[0]?.slug
}

export async function included({ collections: { books }, globals }: Client<Library>): Promise<void> {
  const entry = await books.findById('a', { include: ['author', 'authors'] })
  holds<Equal<NonNullable<typeof entry>['author'], Person | null>>()
  holds<Equal<NonNullable<typeof entry>['authors'], readonly Person[]>>()
  holds<Equal<NonNullable<typeof entry>['reviewer'], string | null>>()

  const far = await books.findById('a', { include: ['author.employer', 'meta.editor'] })
  holds<Equal<NonNullable<NonNullable<typeof far>['author']>['employer'], Company | null>>()
  holds<Equal<NonNullable<NonNullable<typeof far>['author']>['mentor'], string | null>>()
  holds<Equal<NonNullable<NonNullable<typeof far>['meta']>['editor'], Person | null>>()
  holds<Equal<NonNullable<NonNullable<typeof far>['meta']>['rank'], number | null>>()

  const deep = await books.findById('a', { include: ['credits.who', 'picks', 'parts.by'] })
  type Deep = NonNullable<typeof deep>
  holds<Equal<Deep['credits'][number]['who'], Person | null>>()
  holds<Equal<Deep['credits'][number]['role'], string | null>>()
  holds<Equal<Deep['picks'], readonly Company[]>>()
  holds<Equal<Deep['parts'][number]['by'], Person | null>>()
  holds<Equal<Extract<Deep['parts'][number], { _type: 'shelf' }>['firms'], readonly string[]>>()

  const narrow = await books.findMany({
    include: ['author', 'authors'],
    select: ['title', 'author.name', 'authors.name'],
  })
  holds<
    Equal<
      (typeof narrow)['items'][number],
      { readonly id: string; readonly title: string; readonly author: Name | null; readonly authors: readonly Name[] }
    >
  >()
  const front = await globals.front.get({ include: ['book.author'], select: ['book.author.name'] })
  holds<
    Equal<
      typeof front,
      { readonly key: 'front'; readonly book: { readonly id: string; readonly author: Name | null } | null }
    >
  >()

  // @ts-expect-error unknown relation
  await books.findMany({ include: ['autor'] })
  // @ts-expect-error a text field in include
  await books.findMany({ include: ['title'] })
  // @ts-expect-error a text field of a related entry in include
  await books.findMany({ include: ['author.titel'] })
  // @ts-expect-error an included relation is not an id
  const id: string | null | undefined = entry?.author
  // @ts-expect-error an included document may be null
  entry?.author.name
  return id as never
}

export async function levels({ collections: { books } }: Client<Library>): Promise<void> {
  const entry = await books.findById('a', { depth: 1 })
  type Expanded = NonNullable<typeof entry>
  holds<Equal<Expanded['author'], Person | null>>()
  holds<Equal<Expanded['title'], string>>()
  holds<Equal<NonNullable<Expanded['meta']>['editor'], Person | null>>()
  holds<Equal<Expanded['credits'][number]['who'], Person | null>>()
  holds<Equal<Extract<Expanded['parts'][number], { _type: 'shelf' }>['firms'], readonly Company[]>>()

  const two = await books.findById('a', { depth: 2 })
  type Two = NonNullable<typeof two>
  holds<Equal<NonNullable<Two['author']>['employer'], Company | null>>()
  holds<Equal<NonNullable<NonNullable<Two['author']>['mentor']>['mentor'], string | null>>()

  const zero = await books.findById('a', { depth: 0 })
  holds<Equal<typeof zero, Book | null>>()

  const below = await books.findById('a', { include: ['author'], depth: 2 })
  holds<Equal<NonNullable<NonNullable<typeof below>['author']>['employer'], Company | null>>()
  holds<Equal<NonNullable<typeof below>['reviewer'], string | null>>()

  const some = await books.findMany({ depth: 1, select: ['author.name'] })
  holds<Equal<(typeof some)['items'][number], { readonly id: string; readonly author: Name | null }>>()

  // @ts-expect-error depth is at most 5
  await books.findMany({ depth: 6 })
}

export async function fromTheOtherSide({ collections: { companies, people } }: Client<Library>): Promise<void> {
  const plain = await companies.findById('a')
  holds<Equal<NonNullable<typeof plain>['staff'], undefined>>()

  const page = await companies.findMany({ include: ['staff'], reverse: { staff: { limit: 5, sort: 'name' } } })
  holds<Equal<(typeof page)['items'][number]['staff'], ListResult<Person>>>()

  const named = await companies.findById('a', { include: ['staff'], select: ['name', 'staff.name'] })
  holds<
    Equal<NonNullable<typeof named>, { readonly id: string; readonly name: string; readonly staff: ListResult<Name> }>
  >()

  const below = await people.findById('a', { include: ['employer.staff.mentor'] })
  type Colleague = NonNullable<NonNullable<typeof below>['employer']>['staff']['items'][number]
  holds<Equal<Colleague['mentor'], Person | null>>()

  const all = await companies.findById('a', { depth: 1 })
  holds<Equal<NonNullable<typeof all>['staff'], ListResult<Person>>>()

  // @ts-expect-error a reverse field cannot be filtered
  await companies.findMany({ where: { staff: { exists: true } } })
  // @ts-expect-error a reverse field cannot be sorted by
  await companies.findMany({ sort: 'staff' })
  // A reverse field as it was read is accepted and ignored.
  if (all) await companies.update('a', { ...all, name: 'b' })
}

export async function withPathsOfRunTime(
  { collections: { books } }: Client<Library>,
  paths: readonly 'author'[],
  depth: 0 | 1,
): Promise<void> {
  const perhaps = await books.findById('a', { include: paths })
  holds<Equal<NonNullable<typeof perhaps>['author'], string | Person | null>>()
  const either = await books.findById('a', { depth })
  holds<Equal<NonNullable<typeof either>['author'], string | Person | null>>()
}

export async function everyLanguage({ collections: { books } }: Client<Library>): Promise<void> {
  type InBoth<T> = { readonly en?: T; readonly de?: T }
  const entry = await books.findById('a', { locale: 'all', select: ['title', 'pages', 'tones'] })
  holds<
    Equal<
      NonNullable<typeof entry>,
      {
        readonly id: string
        readonly title: InBoth<string>
        readonly pages: number | null
        readonly tones: InBoth<readonly ('warm' | 'cold')[]>
      }
    >
  >()
  const { items } = await books.findMany({ locale: 'all', include: ['author'] })
  holds<Equal<(typeof items)[number]['text'], InBoth<string | null>>>()
  holds<Equal<(typeof items)[number]['textHtml'], InBoth<string | null>>>()
  holds<Equal<(typeof items)[number]['textToc'], InBoth<readonly TocEntry[] | null>>>()
  holds<Equal<NonNullable<(typeof items)[number]['meta']>['motto'], InBoth<string | null>>>()
  holds<Equal<(typeof items)[number]['author'], Person | null>>()
}

export async function keptQueries({ collections: { books } }: Client<Library>): Promise<void> {
  const query: ListQuery<Library, 'books'> = { where: { pages: { gt: 5 } }, sort: '-title', locale: 'de' }
  const page = await books.findMany(query)
  holds<Equal<typeof page, ListResult<Book>>>()
  const narrowed = await books.findMany({ ...query, select: ['title'] })
  holds<Equal<(typeof narrowed)['items'][number], { readonly id: string; readonly title: string }>>()
}

/** Without a config, any query is accepted, and the result has no types. */
export async function untyped(): Promise<void> {
  const { collections } = createClient({ baseUrl: 'https://cms.example.org' })
  const page = await collections.anything?.findMany({ include: ['author'], select: ['title'], sort: '-title' })
  holds<Equal<typeof page extends ListResult<{ readonly id: string }> | undefined ? true : false, true>>()
  await collections.anything?.create({ title: 'A' })
}

/** `EntryOf` is the type of the result of the same query. */
export async function named({ collections: { books } }: Client<Library>): Promise<void> {
  const plain = await books.findById('x')
  const author = await books.findById('x', { include: ['author'], select: ['title', 'author.name'] })
  const draft = await books.findById('x', { draft: true })
  const all = await books.findById('x', { locale: 'all' })
  const deep = await books.findById('x', { depth: 2 })
  holds<Equal<EntryOf<Library, 'books'> | null, typeof plain>>()
  holds<
    Equal<EntryOf<Library, 'books', { include: ['author']; select: ['title', 'author.name'] }> | null, typeof author>
  >()
  holds<Equal<EntryOf<Library, 'books', { draft: true }> | null, typeof draft>>()
  holds<Equal<EntryOf<Library, 'books', { locale: 'all' }> | null, typeof all>>()
  holds<Equal<EntryOf<Library, 'books', { depth: 2 }> | null, typeof deep>>()
  // @ts-expect-error unknown relation
  holds<Equal<EntryOf<Library, 'books', { include: ['autor'] }>, never>>()
  // @ts-expect-error unknown field
  holds<Equal<EntryOf<Library, 'books', { select: ['titel'] }>, never>>()
}

declare const client: Client<Library>

export async function drafts({ collections: { books, people } }: Client<Library>, token: string | undefined) {
  const draft = await books.findById('x', { draft: true })
  const selected = await books.findBySlug('x', { draft: true, select: ['title'] })
  const { items } = await books.findMany({ draft: true })
  const preview = await books.findBySlug('x', { preview: 'token' })
  const either = await books.findBySlug('x', { preview: token })
  const plain = await books.findBySlug('x', { draft: false })
  holds<Equal<typeof draft, DraftEntry<Library, 'books'> | null>>()
  holds<
    Equal<
      keyof NonNullable<typeof selected>,
      'id' | 'title' | 'hasDraft' | 'publishAt' | 'unpublishAt' | 'publishedLocales'
    >
  >()
  holds<Equal<(typeof items)[number], DraftEntry<Library, 'books'>>>()
  holds<Equal<NonNullable<typeof preview>['title'], string | null>>()
  holds<Equal<'hasDraft' extends keyof NonNullable<typeof preview> ? true : false, false>>()
  holds<Equal<NonNullable<typeof either>['title'], string>>()
  holds<Equal<NonNullable<typeof plain>['title'], string>>()

  // @ts-expect-error a collection without a status has no drafts
  await people.findById('x', { draft: true })
  // @ts-expect-error a collection without a status has no previews
  await people.findById('x', { preview: 'token' })
}

export async function requested(client: Client<Library>): Promise<void> {
  const plain = await client.request({ path: '/api/shop' })
  const orders = await client.request<{ readonly orders: number }>({
    method: 'POST',
    path: ['api', 'shop', 'a'],
    body: {},
  })
  holds<Equal<typeof plain, unknown>>()
  holds<Equal<typeof orders, { readonly orders: number }>>()
  // @ts-expect-error a path begins with a slash
  await client.request({ path: 'api/shop' })
  // @ts-expect-error unknown option
  await client.request({ method: 'HEAD', path: '/api/shop' })
}
