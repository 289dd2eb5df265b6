// Relations to several collections: values, what is written, answers and filters. tsc is the test; nothing here runs.
import type { Client, Sort, Where } from '@daybook/client'
import { defineCollection, defineConfig, type Entry, type EntryCreate, f } from 'daybook'
import { type Equal, type Expect, holds } from '../../../daybook/test/types/expect.ts'

const posts = defineCollection({ fields: { title: f.text({ required: true }), author: f.relation('people') } })
const pages = defineCollection({ fields: { name: f.text({ required: true }) } })
const people = defineCollection({ fields: { name: f.text({ required: true }) } })
const articles = defineCollection({
  fields: {
    lead: f.relation(['posts', 'pages']),
    related: f.relation(['posts', 'pages'], { many: true }),
    needed: f.relation(['posts', 'pages'], { required: true, onDelete: 'restrict' }),
    loose: f.relation(['posts', 'pages'], { index: false }),
    rows: f.list(f.relation(['posts', 'pages'])),
  },
})
const config = defineConfig({ collections: { posts, pages, people, articles } })
type Magazine = typeof config

type Post = Entry<Magazine, 'posts'>
type Article = Entry<Magazine, 'articles'>
type Reference =
  | { readonly collection: 'posts'; readonly id: string }
  | { readonly collection: 'pages'; readonly id: string }

export type Values = [
  Expect<Equal<Article['lead'], Reference | null>>,
  Expect<Equal<Article['related'], readonly Reference[]>>,
  Expect<Equal<Article['needed'], Reference>>,
  Expect<Equal<EntryCreate<Magazine, 'articles'>['needed'], Reference>>,
]

type Parts<Path extends string> = `${Path}.collection` | `${Path}.id`
type System = 'id' | 'createdAt' | 'updatedAt' | 'createdBy' | 'updatedBy'
export type FieldsToFilterBy = Expect<
  Equal<keyof Where<Magazine, 'articles'>, System | Parts<'lead' | 'related' | 'needed'> | 'and' | 'or' | 'not'>
>
type SortFields = System | Parts<'lead' | 'needed'>
export type FieldsToSortBy = Expect<Equal<Sort<Magazine, 'articles'>, SortFields | `-${SortFields}`>>

export async function answers({ collections: { articles: own } }: Client<Magazine>): Promise<void> {
  const one = await own.findById('a', { include: ['lead', 'related', 'rows'] })
  type One = NonNullable<typeof one>
  const lead = (one as One).lead
  if (lead?.collection === 'posts') holds<Equal<(typeof lead)['title'], string>>()
  if (lead?.collection === 'pages') holds<Equal<(typeof lead)['name'], string>>()
  holds<Equal<Extract<One['related'][number], { collection: 'posts' }>['author'], Post['author']>>()
  holds<Equal<One['rows'][number]['collection'], 'posts' | 'pages'>>()
  holds<Equal<One['needed'], Reference>>()

  const far = await own.findById('a', { include: ['lead.author'], select: ['lead.title', 'lead.author.name'] })
  const found = (far as NonNullable<typeof far>).lead
  if (found?.collection === 'posts') {
    holds<Equal<(typeof found)['author'], { readonly id: string; readonly name: string } | null>>()
  }

  await own.findMany({
    where: {
      'lead.collection': { in: ['posts'] },
      'lead.id': { exists: true },
      'related.collection': { all: ['posts', 'pages'] },
      'related.id': { nin: ['x'] },
    },
  })
  // @ts-expect-error it leads to several collections
  await own.findMany({ where: { lead: { eq: 'x' } } })
  // @ts-expect-error one hop leads through one collection
  await own.findMany({ where: { 'lead.title': { eq: 'x' } } })
  // @ts-expect-error it does not lead there
  await own.findMany({ where: { 'lead.collection': { eq: 'people' } } })
  // @ts-expect-error a reference names its collection
  await own.create({ needed: 'x' })
  // @ts-expect-error and one that the field leads to
  await own.create({ needed: { collection: 'people', id: 'x' } })
}
