import { ANONYMOUS, defineCollection, defineConfig, defineGlobal, etagOf, f, type ListOptions } from 'daybook'
import { createTestService } from 'daybook/testing'
import { beforeEach, describe, expect, test } from 'vitest'
import { POLICY_STORES, type StoredService } from '../support/stores/stores.ts'

describe.each(POLICY_STORES)('the in-process API offers the operations of the HTTP API on $name', (store) => {
  const config = defineConfig({
    collections: {
      posts: defineCollection({
        fields: {
          title: f.text({ required: true, localized: true }),
          slug: f.slug({ from: 'title' }),
          author: f.relation('people'),
          seo: f.group({ title: f.text(), rank: f.integer() }),
        },
      }),
      people: defineCollection({ fields: { name: f.text({ required: true }) } }),
    },
    globals: { site: defineGlobal({ fields: { name: f.text({ localized: true }), lead: f.relation('people') } }) },
    locales: { default: 'en', available: ['en', 'de'], fallback: { de: ['en'] } },
  })
  let service: StoredService<typeof config>
  beforeEach(async () => {
    service = await store.open<typeof config>(config)
    return () => service.close()
  })

  test('PATCH merges inside objects', async () => {
    const { content } = service
    const { id } = await content.create('posts', { title: 'One', seo: { title: 'a', rank: 1 } })
    expect(await content.patch('posts', id, { seo: { rank: 2 } })).toMatchObject({
      seo: { title: 'a', rank: 2 },
    })
    expect(await content.update('posts', id, { seo: { rank: 3 } })).toMatchObject({
      seo: { title: null, rank: 3 },
    })
  })

  test('a document that was read has a tag that a change can require', async () => {
    const { content, fetch } = service
    const { id } = await content.create('posts', { title: 'One' })
    const read = await content.as(ANONYMOUS).get('posts', id)
    const tag = etagOf(read ?? {})
    const response = await fetch(new Request(`http://daybook.test/api/posts/${id}`))
    expect(response.headers.get('etag')).toBe(tag)
    const changed = await content.update('posts', id, { title: 'Two' }, { ifMatch: tag })
    expect(etagOf(changed)).not.toBe(tag)
    await expect(content.update('posts', id, { title: 'Three' }, { ifMatch: tag })).rejects.toMatchObject({
      code: 'PRECONDITION_FAILED',
      details: { current: etagOf(changed) },
    })
    const { items } = await content.as(ANONYMOUS).list('posts')
    for (const other of [{ ...changed }, ...items]) expect(() => etagOf(other)).toThrow('has no tag')
  })

  test('a list has the same tag as over HTTP until its content may have changed', async () => {
    const { content, fetch } = service
    const tag = etagOf(await content.as(ANONYMOUS).list('posts', { limit: 0 }))
    const response = await fetch(new Request('http://daybook.test/api/posts?limit=0'))
    expect(response.headers.get('etag')).toBe(tag)
    expect(etagOf(await content.as(ANONYMOUS).list('posts', { limit: 0 }))).toBe(tag)
    await content.create('posts', { title: 'One' })
    expect(etagOf(await content.as(ANONYMOUS).list('posts', { limit: 0 }))).not.toBe(tag)
  })

  test('a batch applies all operations or none and names the one that failed', async () => {
    const { content } = service
    const done = await content.batch([
      { op: 'create', collection: 'people', data: { name: 'Ines' } },
      { op: 'create', collection: 'posts', data: { title: 'One' } },
    ])
    expect(done).toMatchObject([{ op: 'create', entry: { name: 'Ines' } }, { entry: { slug: 'one' } }])
    const [, post] = done
    const wrong = content.batch([
      { op: 'update', collection: 'posts', id: post?.id ?? '', ifMatch: post?.etag ?? '', data: { title: 'Two' } },
      { op: 'create', collection: 'posts', data: {} },
    ])
    await expect(wrong).rejects.toMatchObject({ code: 'VALIDATION_ERROR', details: { operation: 1 } })
    expect(await content.as(ANONYMOUS).get('posts', 'one')).toMatchObject({ title: 'One' })
    await expect(
      content.as(ANONYMOUS).batch([{ op: 'delete', collection: 'posts', id: post?.id ?? '' }]),
    ).rejects.toMatchObject({
      code: 'UNAUTHORIZED',
    })
  })

  test('references lists the referring documents for a caller with a session', async () => {
    const { content } = service
    const { id } = await content.create('people', { name: 'Ines' })
    const post = await content.create('posts', { title: 'One', author: id })
    const references = [{ collection: 'posts', id: post.id, field: 'author' }]
    expect(await content.references('people', id)).toEqual({
      total: 1,
      limit: 20,
      offset: 0,
      items: references,
    })
    expect(await content.references('people', id, { limit: 0 })).toMatchObject({ total: 1, items: [] })
    await expect(content.as(ANONYMOUS).references('people', id)).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
  })

  test('an empty list of values is rejected, because it would filter nothing', async () => {
    const { content } = service
    await content.create('posts', { title: 'One' })
    for (const where of [{ title: { in: [] } }, { or: [{ title: { in: [] } }] }]) {
      await expect(content.as(ANONYMOUS).list('posts', { where })).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
        details: { issues: [{ path: expect.stringContaining('[in]') }] },
      })
    }
  })

  test('configured locales can be read and written, unknown ones are rejected', async () => {
    const { content } = service
    const { id } = await content.create('posts', { title: 'One' })
    expect(await content.update('posts', id, { title: 'Eins' }, { locale: 'de' })).toMatchObject({
      title: 'Eins',
    })
    expect(await content.as(ANONYMOUS).get('posts', id, { locale: 'de' })).toMatchObject({ title: 'Eins' })
    expect(await content.as(ANONYMOUS).get('posts', id, { locale: 'de', fallbackLocale: 'none' })).toMatchObject({
      title: 'Eins',
    })
    expect((await content.as(ANONYMOUS).list('posts', { locale: 'de', where: { title: { eq: 'Eins' } } })).total).toBe(
      1,
    )
    await expect(content.as(ANONYMOUS).get('posts', id, { locale: 'all' })).rejects.toMatchObject({
      code: 'UNAUTHORIZED',
    })
    await expect(content.create('posts', { title: 'x' }, { locale: 'xx' })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    })
  })

  test('a global is read in a locale, with included documents', async () => {
    const { content } = service
    const { id } = await content.create('people', { name: 'Ines' })
    await content.writeGlobal('site', { name: 'Daybook', lead: id })
    await content.writeGlobal('site', { name: 'Tagebuch' }, { locale: 'de' })
    expect(await content.as(ANONYMOUS).readGlobal('site', { locale: 'de', include: ['lead'] })).toMatchObject({
      name: 'Tagebuch',
      lead: { name: 'Ines' },
    })
  })

  test('an empty list of names is ignored', async () => {
    const { content } = service
    await content.create('posts', { title: 'One' })
    expect((await content.as(ANONYMOUS).list('posts', { select: [], include: [] })).items).toMatchObject([
      { title: 'One' },
    ])
  })
})

/** On SQLite alone, since PostgreSQL counts the statements of all its connections together. */
test('a search runs in the search thread, with or without a filter; a filter over few entries does not', async () => {
  const service = await createTestService({
    collections: { posts: { fields: { title: f.text(), rank: f.integer() } } },
  })
  try {
    await service.content.create('posts', { title: 'word', rank: 1 })
    /** Counts the statements of the shared connection, without those of the search thread. */
    const shared = async (query: ListOptions): Promise<number> => {
      const before = service.statements()
      expect((await service.content.as(ANONYMOUS).list('posts', query)).total).toBe(1)
      return service.statements() - before
    }
    // The counters of the collection are read once, as long as nothing is written.
    expect(await shared({})).toBe(2)
    expect(await shared({ q: 'word', sort: '-createdAt' })).toBe(0)
    expect(await shared({ q: 'word', sort: '-createdAt', where: { rank: { eq: 1 } } })).toBe(0)
    expect(await shared({ sort: '-createdAt', where: { rank: { eq: 1 } } })).toBe(1)
    expect(await shared({ sort: '-createdAt', where: { rank: { gte: 1 } } })).toBe(1)
  } finally {
    await service.close()
  }
})
