import { f } from 'daybook'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  dropOrphaned,
  isLossy,
  migrateStoredDocuments,
  planMigration,
} from '../../src/content/transfer/schema-migration.ts'
import { compileModel } from '../../src/model/compile.ts'
import { create, type Place, read, update } from '../support/stores/place.ts'
import { STORES } from '../support/stores/stores.ts'

const named = { fields: { title: f.text() } }

const articles = (fields: object): object => ({
  collections: { posts: named, pages: named, articles: { fields: { title: f.text(), ...fields } } },
})

const SINGLE = articles({ lead: f.relation('posts'), many: f.relation('posts', { many: true }) })
const SEVERAL = articles({
  lead: f.relation(['posts', 'pages']),
  many: f.relation(['posts', 'pages'], { many: true }),
  meta: f.group({ about: f.relation(['posts', 'pages']) }),
})

let place: Place

async function migrate(config: object): Promise<readonly string[]> {
  const model = compileModel(config as never)
  const store = await place.store()
  try {
    const steps = await planMigration(store.read, model)
    await migrateStoredDocuments(store, model)
    if (steps.some(isLossy)) await dropOrphaned(store, model)
    return steps.map((step) => `${isLossy(step) ? 'LOSS ' : ''}${step.path} ${step.message} (${step.count})`)
  } finally {
    await store.close()
  }
}

describe.each(STORES)('on $name', (store) => {
  beforeEach(async () => {
    place = await store.at()
    return () => place[Symbol.asyncDispose]()
  })

  test('a relation that is extended to several collections keeps its references', async () => {
    const { post, id } = await place.serve(SINGLE, async (service) => {
      const target = await create(service, 'posts', { title: 'P' })
      const article = await create(service, 'articles', { title: 'A', lead: target.id, many: [target.id] })
      return { post: target.id, id: article.id }
    })
    const later = articles({
      lead: f.relation(['posts', 'pages'], { formerTo: 'posts' }),
      many: f.relation(['posts', 'pages'], { many: true, formerTo: 'posts' }),
    })
    await expect(place.start(later)).rejects.toThrow('articles.lead gets the references to posts (1)')
    expect(await migrate(later)).toEqual([
      'articles.lead gets the references to posts (1)',
      'articles.many gets the references to posts (1)',
    ])
    expect(await migrate(later)).toEqual([])
    await place.serve(later, async (service) => {
      const reference = { collection: 'posts', id: post }
      expect(await read(service, 'articles', id)).toMatchObject({ lead: reference, many: [reference] })
      const matches = await service.content.list('articles', { where: { 'lead.id': { eq: post } } })
      expect(matches.total).toBe(1)
      await service.content.delete('posts', post)
      expect(await read(service, 'articles', id)).toMatchObject({ lead: null, many: [] })
    })
  })

  test('a relation that is reduced to one collection keeps the references to it and loses all others', async () => {
    const {
      post,
      one: firstId,
      other: secondId,
    } = await place.serve(SEVERAL, async (service) => {
      const target = await create(service, 'posts', { title: 'P' })
      const page = { collection: 'pages', id: (await create(service, 'pages', { title: 'G' })).id }
      const reference = { collection: 'posts', id: target.id }
      const first = await create(service, 'articles', { lead: reference, many: [reference] })
      const second = await create(service, 'articles', { lead: page, many: [page, reference] })
      return { post: target.id, one: first.id, other: second.id }
    })
    const formerTo = ['posts', 'pages'] as const
    const later = articles({
      lead: f.relation('posts', { formerTo }),
      many: f.relation('posts', { many: true, formerTo }),
    })
    await expect(place.start(later)).rejects.toThrow('daybook migrate --apply')
    expect(await migrate(later)).toEqual(
      expect.arrayContaining([
        'articles.lead gets the references to posts, pages (1)',
        expect.stringContaining('LOSS articles.lead'),
        expect.stringContaining('LOSS articles.many'),
      ]),
    )
    await place.serve(later, async (service) => {
      expect(await read(service, 'articles', firstId)).toMatchObject({ lead: post, many: [post] })
      expect(await read(service, 'articles', secondId)).toMatchObject({ lead: null, many: [post] })
    })
  })

  test('without formerTo the references stay orphaned until the former config returns', async () => {
    const { post, id } = await place.serve(SINGLE, async (service) => {
      const target = await create(service, 'posts', { title: 'P' })
      return { post: target.id, id: (await create(service, 'articles', { lead: target.id })).id }
    })
    await place.serve(SEVERAL, async (service) => {
      expect(await read(service, 'articles', id)).toMatchObject({ lead: null, many: [] })
      await update(service, 'articles', id, { title: 'written meanwhile' })
    })
    await place.serve(SINGLE, async (service) =>
      expect(await read(service, 'articles', id)).toMatchObject({ lead: post }),
    )
  })

  test('a collection removed from the config leaves null or the other references until it returns', async () => {
    const { post, page, id } = await place.serve(SEVERAL, async (service) => {
      const reference = { collection: 'posts', id: (await create(service, 'posts', { title: 'P' })).id }
      const other = { collection: 'pages', id: (await create(service, 'pages', { title: 'G' })).id }
      const article = await create(service, 'articles', {
        lead: other,
        many: [other, reference],
        meta: { about: other },
      })
      return { post: reference, page: other, id: article.id }
    })
    const without = {
      collections: {
        posts: named,
        articles: {
          fields: {
            title: f.text(),
            lead: f.relation(['posts']),
            many: f.relation(['posts'], { many: true }),
            meta: f.group({ about: f.relation(['posts']) }),
          },
        },
      },
    }
    await place.serve(without, async (service) => {
      const shown = { lead: null, many: [post], meta: { about: null } }
      expect(await read(service, 'articles', id)).toMatchObject(shown)
      expect(await service.content.list('articles', { include: ['lead', 'many'] })).toMatchObject({
        items: [{ lead: null, many: [{ collection: 'posts', title: 'P' }] }],
      })
      expect(await update(service, 'articles', id, { title: 'T' })).toMatchObject(shown)
    })
    await place.serve(SEVERAL, async (service) => {
      expect(await read(service, 'articles', id)).toMatchObject({ lead: page, title: 'T' })
    })
  })
})
