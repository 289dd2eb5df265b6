// What may be asked: where, sort, status and locales, as the service takes them. tsc is the test; nothing here runs.
import type { Client, Sort, Status, Where } from '@daybook/client'
import { type Equal, type Expect, holds } from '../../../daybook/test/types/expect.ts'
import type { Library, Notes } from './showcase.ts'

type System = 'id' | 'createdAt' | 'updatedAt' | 'createdBy' | 'updatedBy'
type Comparable = 'title' | 'slug' | 'status' | 'pages' | 'lent' | 'day' | 'moment' | 'genre' | 'mail' | 'author'
type Through<Relation extends string, Field extends string> = `${Relation}.${Field}`
type OfPeople = System | 'name' | 'slug' | 'mentor' | 'employer' | 'skills' | 'home.city'

export type FieldsToFilterBy = Expect<
  Equal<
    keyof Where<Library, 'books'>,
    | System
    | Comparable
    | 'moods'
    | 'authors'
    | 'meta.rank'
    | 'meta.editor'
    | 'meta.inner.word'
    | 'meta.motto'
    | Through<'author' | 'authors' | 'meta.editor', OfPeople>
    | 'and'
    | 'or'
    | 'not'
  >
>
type SortFields = System | Comparable | 'meta.rank' | 'meta.editor' | 'meta.inner.word' | 'meta.motto'
export type FieldsToSortBy = Expect<Equal<Sort<Library, 'books'>, SortFields | `-${SortFields}`>>
export type Statuses = Expect<Equal<Status<Library, 'books'>, 'draft' | 'published' | 'archived'>>
export type NoStatuses = Expect<Equal<Status<Notes, 'notes'>, never>>

export async function filters({ collections: { books, people } }: Client<Library>): Promise<void> {
  await books.findMany({
    where: {
      title: { startsWith: 'A', ne: 'Alpha' },
      pages: { gte: 10, lt: 20, in: [12, 14] },
      lent: { eq: true },
      day: { gte: '2026-01-01' },
      genre: { in: ['novel', 'essay'] },
      moods: { all: ['dark'] },
      author: { exists: true },
      'author.name': { contains: 'n' },
      'authors.skills': { in: ['ink'] },
      'meta.inner.word': { eq: 'x' },
      or: [{ title: { eq: 'A' } }, { not: { pages: { eq: 1 } }, and: [{ lent: { eq: false } }] }],
    },
  })

  // @ts-expect-error there is no such field
  await books.findMany({ where: { titel: { eq: 'A' } } })
  // @ts-expect-error nor there
  await books.findMany({ where: { 'author.titel': { eq: 'A' } } })
  // @ts-expect-error nor within or
  await books.findMany({ where: { or: [{ titel: { eq: 'A' } }] } })
  // @ts-expect-error two hops are too many
  await books.findMany({ where: { 'author.employer.name': { eq: 'A' } } })
  // @ts-expect-error it has no index
  await books.findMany({ where: { long: { eq: 'A' } } })
  // @ts-expect-error nor has a Markdown text
  await books.findMany({ where: { body: { contains: 'A' } } })
  // @ts-expect-error nor a JSON value, whatever it holds
  await books.findMany({ where: { note: { eq: 'A' } } })
  // @ts-expect-error nor what a relation without one leads to
  await books.findMany({ where: { 'reviewer.name': { eq: 'A' } } })
  // @ts-expect-error several values in every language have none
  await books.findMany({ where: { tones: { in: ['warm'] } } })
  // @ts-expect-error a group is no value
  await books.findMany({ where: { meta: { exists: true } } })
  // @ts-expect-error a condition has an operator
  await books.findMany({ where: { title: 'A' } })
  // @ts-expect-error a number is no text
  await books.findMany({ where: { pages: { eq: '1' } } })
  // @ts-expect-error and has no parts
  await books.findMany({ where: { pages: { startsWith: '1' } } })
  // @ts-expect-error neither has a day
  await books.findMany({ where: { day: { contains: '2026' } } })
  // @ts-expect-error one of several options
  await books.findMany({ where: { genre: { eq: 'poem' } } })
  // @ts-expect-error several values are not compared as one
  await books.findMany({ where: { moods: { eq: 'dark' } } })
  // @ts-expect-error no order of true and false
  await books.findMany({ where: { lent: { lt: true } } })
  // @ts-expect-error nor of references
  await books.findMany({ where: { author: { gt: 'x' } } })
  // @ts-expect-error any of what
  await books.findMany({ where: { title: { in: 'A' } } })
  // @ts-expect-error a field of another collection
  await people.findMany({ where: { title: { eq: 'A' } } })
}

export async function orders({ collections: { books } }: Client<Library>): Promise<void> {
  await books.findMany({ sort: ['-pages', 'meta.rank', 'updatedAt'], q: 'ink', status: ['draft', 'archived'] })
  await books.findMany({ sort: 'pages', nulls: 'last' })

  // @ts-expect-error empty values have two places
  await books.findMany({ sort: 'pages', nulls: 'middle' })
  // @ts-expect-error there is no such field
  await books.findMany({ sort: 'titel' })
  // @ts-expect-error several values have no order
  await books.findMany({ sort: 'moods' })
  // @ts-expect-error nor has a Markdown text
  await books.findMany({ sort: '-body' })
  // @ts-expect-error a sort order does not look through relations
  await books.findMany({ sort: 'author.name' })
  // @ts-expect-error one of several statuses
  await books.findMany({ status: 'public' })
  // @ts-expect-error a page by its number is asked for with offset
  await books.findMany({ page: 2 })
  // @ts-expect-error a number of entries
  await books.findMany({ limit: '5' })
  // @ts-expect-error a walk through all pages starts at the first
  books.iterate({ offset: 5 })
}

export async function languages(library: Client<Library>, { collections: { notes } }: Client<Notes>): Promise<void> {
  const { books } = library.collections
  await books.findBySlug('a', { locale: 'de', fallbackLocale: 'en' })
  await library.globals.front.update({ title: 'A' }, { locale: 'de' })

  // @ts-expect-error one of two locales
  await books.findMany({ locale: 'fr' })
  // @ts-expect-error here, too
  await books.update('x', { title: 'A' }, { locale: 'fr' })
  // @ts-expect-error where there are none, none can be named
  await notes.findMany({ locale: 'en' })
  // @ts-expect-error nor all of them
  await notes.findMany({ locale: 'all' })
  // @ts-expect-error nobody writes all of them
  await books.update('x', { title: 'A' }, { locale: 'all' })
  // @ts-expect-error nor a status
  await notes.findMany({ status: 'draft' })
  holds<Equal<keyof Client<Notes>['globals'], never>>()
}

/** What is asked over all entries that match, and the types of what comes. */
export async function aggregates({ collections: { books } }: Client<Library>): Promise<void> {
  const { aggregates: found, items } = await books.findMany({
    aggregate: {
      genre: 'count',
      pages: ['min', 'sum', 'avg'],
      day: ['count:month', 'max'],
      moods: 'count',
      'meta.rank': 'max',
    },
  })
  type Found = typeof found
  holds<Equal<Found['count:genre'][number]['value'], 'novel' | 'essay' | null>>()
  holds<Equal<Found['min:pages'], number | null>>()
  holds<Equal<Found['sum:pages'], number>>()
  holds<Equal<Found['avg:pages'], number | null>>()
  holds<Equal<Found['count:day:month'][number]['value'], string | null>>()
  holds<Equal<Found['max:day'], string | null>>()
  holds<Equal<Found['count:moods'][number]['count'], number>>()
  holds<Equal<Found['max:meta.rank'], number | null>>()
  holds<Equal<(typeof items)[number]['title'], string>>()
  const { aggregates: named } = await books.findMany({ aggregate: ['count:genre', 'count:createdAt:year'] })
  holds<Equal<(typeof named)['count:createdAt:year'][number]['count'], number>>()
  // @ts-expect-error it was not asked for
  named['count:pages']
  // @ts-expect-error there is no such field
  await books.findMany({ aggregate: { nothing: 'count' } })
  // @ts-expect-error a text has no sum
  await books.findMany({ aggregate: { title: 'sum' } })
  // @ts-expect-error relations to several entries are not counted
  await books.findMany({ aggregate: { authors: 'count' } })
  // @ts-expect-error a number has no months
  await books.findMany({ aggregate: ['count:pages:month'] })
}
