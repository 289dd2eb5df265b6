// The types of queries: where, sort, status and locales. tsc checks this file; it never runs.
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

  // @ts-expect-error unknown field
  await books.findMany({ where: { titel: { eq: 'A' } } })
  // @ts-expect-error unknown field in a group
  await books.findMany({ where: { 'author.titel': { eq: 'A' } } })
  // @ts-expect-error unknown field in or
  await books.findMany({ where: { or: [{ titel: { eq: 'A' } }] } })
  // @ts-expect-error a filter through two relations
  await books.findMany({ where: { 'author.employer.name': { eq: 'A' } } })
  // @ts-expect-error a field without an index
  await books.findMany({ where: { long: { eq: 'A' } } })
  // @ts-expect-error Markdown has no index
  await books.findMany({ where: { body: { contains: 'A' } } })
  // @ts-expect-error JSON has no index
  await books.findMany({ where: { note: { eq: 'A' } } })
  // @ts-expect-error through a relation without an index
  await books.findMany({ where: { 'reviewer.name': { eq: 'A' } } })
  // @ts-expect-error a localized field with several values has no index
  await books.findMany({ where: { tones: { in: ['warm'] } } })
  // @ts-expect-error a group cannot be compared
  await books.findMany({ where: { meta: { exists: true } } })
  // @ts-expect-error a filter without an operator
  await books.findMany({ where: { title: 'A' } })
  // @ts-expect-error a string for a number
  await books.findMany({ where: { pages: { eq: '1' } } })
  // @ts-expect-error contains on a number
  await books.findMany({ where: { pages: { startsWith: '1' } } })
  // @ts-expect-error contains on a date
  await books.findMany({ where: { day: { contains: '2026' } } })
  // @ts-expect-error contains on a select field
  await books.findMany({ where: { genre: { eq: 'poem' } } })
  // @ts-expect-error eq on several values
  await books.findMany({ where: { moods: { eq: 'dark' } } })
  // @ts-expect-error lt on a boolean
  await books.findMany({ where: { lent: { lt: true } } })
  // @ts-expect-error lt on a relation
  await books.findMany({ where: { author: { gt: 'x' } } })
  // @ts-expect-error in without a list
  await books.findMany({ where: { title: { in: 'A' } } })
  // @ts-expect-error a field of another collection
  await people.findMany({ where: { title: { eq: 'A' } } })
}

export async function orders({ collections: { books } }: Client<Library>): Promise<void> {
  await books.findMany({ sort: ['-pages', 'meta.rank', 'updatedAt'], q: 'ink', status: ['draft', 'archived'] })
  await books.findMany({ sort: 'pages', nulls: 'last' })

  // @ts-expect-error nulls is first or last
  await books.findMany({ sort: 'pages', nulls: 'middle' })
  // @ts-expect-error unknown field
  await books.findMany({ sort: 'titel' })
  // @ts-expect-error several values cannot be sorted by
  await books.findMany({ sort: 'moods' })
  // @ts-expect-error Markdown has no index
  await books.findMany({ sort: '-body' })
  // @ts-expect-error sorting through a relation
  await books.findMany({ sort: 'author.name' })
  // @ts-expect-error unknown status
  await books.findMany({ status: 'public' })
  // @ts-expect-error pages are selected by offset
  await books.findMany({ page: 2 })
  // @ts-expect-error a string for limit
  await books.findMany({ limit: '5' })
  // @ts-expect-error iterate always starts at the first page
  books.iterate({ offset: 5 })
}

export async function languages(library: Client<Library>, { collections: { notes } }: Client<Notes>): Promise<void> {
  const { books } = library.collections
  await books.findBySlug('a', { locale: 'de', fallbackLocale: 'en' })
  await library.globals.front.update({ title: 'A' }, { locale: 'de' })

  // @ts-expect-error unknown locale
  await books.findMany({ locale: 'fr' })
  // @ts-expect-error unknown locale of a global
  await books.update('x', { title: 'A' }, { locale: 'fr' })
  // @ts-expect-error a config without locales
  await notes.findMany({ locale: 'en' })
  // @ts-expect-error locale: all without locales
  await notes.findMany({ locale: 'all' })
  // @ts-expect-error a write in all locales
  await books.update('x', { title: 'A' }, { locale: 'all' })
  // @ts-expect-error a collection without a status
  await notes.findMany({ status: 'draft' })
  holds<Equal<keyof Client<Notes>['globals'], never>>()
}

export async function aggregates({ collections: { books } }: Client<Library>): Promise<void> {
  const { aggregates, items } = await books.findMany({
    aggregate: {
      genre: 'count',
      pages: ['min', 'sum', 'avg'],
      day: ['count:month', 'max'],
      moods: 'count',
      'meta.rank': 'max',
    },
  })
  type Aggregates = typeof aggregates
  holds<Equal<Aggregates['count:genre'][number]['value'], 'novel' | 'essay' | null>>()
  holds<Equal<Aggregates['min:pages'], number | null>>()
  holds<Equal<Aggregates['sum:pages'], number>>()
  holds<Equal<Aggregates['avg:pages'], number | null>>()
  holds<Equal<Aggregates['count:day:month'][number]['value'], string | null>>()
  holds<Equal<Aggregates['max:day'], string | null>>()
  holds<Equal<Aggregates['count:moods'][number]['count'], number>>()
  holds<Equal<Aggregates['max:meta.rank'], number | null>>()
  holds<Equal<(typeof items)[number]['title'], string>>()
  const { aggregates: named } = await books.findMany({ aggregate: ['count:genre', 'count:createdAt:year'] })
  holds<Equal<(typeof named)['count:createdAt:year'][number]['count'], number>>()
  // @ts-expect-error an aggregate that was not requested
  named['count:pages']
  // @ts-expect-error unknown field
  await books.findMany({ aggregate: { nothing: 'count' } })
  // @ts-expect-error sum of a text
  await books.findMany({ aggregate: { title: 'sum' } })
  // @ts-expect-error count of a relation to several entries
  await books.findMany({ aggregate: { authors: 'count' } })
  // @ts-expect-error count by month of a number
  await books.findMany({ aggregate: ['count:pages:month'] })
}
