// Relations to several collections: values, writes, results and filters. tsc checks this file; it never runs.
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

export async function results({ collections: { articles } }: Client<Magazine>): Promise<void> {
  const entry = await articles.findById('a', { include: ['lead', 'related', 'rows'] })
  type Article = NonNullable<typeof entry>
  const lead = (entry as Article).lead
  if (lead?.collection === 'posts') holds<Equal<(typeof lead)['title'], string>>()
  if (lead?.collection === 'pages') holds<Equal<(typeof lead)['name'], string>>()
  holds<Equal<Extract<Article['related'][number], { collection: 'posts' }>['author'], Post['author']>>()
  holds<Equal<Article['rows'][number]['collection'], 'posts' | 'pages'>>()
  holds<Equal<Article['needed'], Reference>>()

  const far = await articles.findById('a', { include: ['lead.author'], select: ['lead.title', 'lead.author.name'] })
  const target = (far as NonNullable<typeof far>).lead
  if (target?.collection === 'posts') {
    holds<Equal<(typeof target)['author'], { readonly id: string; readonly name: string } | null>>()
  }

  await articles.findMany({
    where: {
      'lead.collection': { in: ['posts'] },
      'lead.id': { exists: true },
      'related.collection': { all: ['posts', 'pages'] },
      'related.id': { nin: ['x'] },
    },
  })
  // @ts-expect-error a relation to several collections has no eq
  await articles.findMany({ where: { lead: { eq: 'x' } } })
  // @ts-expect-error a filter reaches through relations to one collection only
  await articles.findMany({ where: { 'lead.title': { eq: 'x' } } })
  // @ts-expect-error not a target of the relation
  await articles.findMany({ where: { 'lead.collection': { eq: 'people' } } })
  // @ts-expect-error a reference without its collection
  await articles.create({ needed: 'x' })
  // @ts-expect-error not a target of the relation
  await articles.create({ needed: { collection: 'people', id: 'x' } })
}
