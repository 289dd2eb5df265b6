import { type DaybookConfig, defineCollection, defineConfig, f, isAuthenticated } from 'daybook'
import { createTestService, type TestService } from 'daybook/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseBody, sendRequest } from '../../support/scenarios/client.ts'
import { create } from '../../support/stores/place.ts'
import { STORES } from '../../support/stores/stores.ts'

const lists: DaybookConfig = defineConfig({
  locales: { default: 'en', available: ['en', 'de'] },
  collections: {
    posts: defineCollection({
      fields: {
        slug: f.slug(),
        tags: f.list(f.text()),
        scores: f.list(f.number()),
        days: f.list(f.date()),
        moments: f.list(f.datetime()),
        moods: f.list(f.select({ options: ['dark', 'light'] })),
        flags: f.list(f.boolean()),
        links: f.list(f.url()),
        seo: f.group({ words: f.list(f.text()) }),
        inner: f.list(f.text(), { access: { read: isAuthenticated } }),
        plain: f.list(f.text(), { index: false }),
        local: f.list(f.text(), { localized: true }),
        texts: f.list(f.text({ localized: true })),
        author: f.relation('authors'),
      },
    }),
    authors: defineCollection({ fields: { name: f.text(), skills: f.list(f.text()) } }),
  },
})

describe.each(STORES)('lists of scalars on $name', (store) => {
  let service: TestService
  const add = async (json: object, collection = 'posts') =>
    parseBody(await sendRequest(service, `/api/${collection}`, { method: 'POST', json }))
  const findSlugs = async (query: string, auth = false) => {
    const response = await sendRequest(service, `/api/posts?sort=slug&${query}`, { auth })
    return (parseBody(response).items as { slug: string }[]).map(({ slug }) => slug).join('')
  }
  const issue = async (query: string, auth = false) => {
    const response = await sendRequest(service, `/api/posts?${query}`, { auth })
    expect(response.status, response.text).toBe(400)
    return (parseBody(response).details as { issues: { message: string }[] }).issues[0]?.message
  }

  beforeAll(async () => {
    service = await store.open(lists)
    const author = (await add({ name: 'Ann, of Ink', skills: ['ink'] }, 'authors')).id
    await add({
      slug: 'a',
      tags: ['x', 'y', 'x'],
      scores: [1, 1.5, 1e21],
      days: ['2026-01-01'],
      moments: ['2026-01-01T02:00:00+02:00'],
      moods: ['dark'],
      flags: [true],
      links: [`https://example.org/${'x'.repeat(1900)}`],
      seo: { words: ['one'] },
      inner: ['canary'],
      local: ['hello'],
      author,
    })
    await add({ slug: 'b', tags: ['y', 'with, comma'], scores: [2], moods: ['dark', 'light'], flags: [false] })
    await add({ slug: 'c' })
  })
  afterAll(() => service.close())

  test.each([
    ['where[tags][in]=x', 'a'],
    ['where[tags][in]=x,y', 'ab'],
    ['where[tags][all]=x,y', 'a'],
    ['where[tags][nin]=x', 'bc'],
    ['where[tags][exists]=true', 'ab'],
    ['where[tags][exists]=false', 'c'],
    ['where[not][tags][in]=y', 'c'],
    ['where[scores][in]=1.5', 'a'],
    ['where[scores][in]=1.0,2', 'ab'],
    ['where[scores][all]=1e0,1e21', 'a'],
    ['where[days][in]=2026-01-01', 'a'],
    ['where[moments][in]=2026-01-01T00:00:00Z', 'a'],
    ['where[moods][all]=dark,light', 'b'],
    ['where[flags][in]=true', 'a'],
    [`where[links][in]=https://example.org/${'x'.repeat(1900)}`, 'a'],
    ['where[seo.words][in]=one', 'a'],
    ['where[author.skills][in]=ink', 'a'],
    ['where[tags][in]=X', ''],
    ['where[tags][in][]=with, comma', 'b'],
    ['where[tags][in][]=x&where[tags][in][]=with, comma', 'ab'],
    ['where[tags][all][]=y&where[tags][all][]=with, comma', 'b'],
    ['where[tags][nin][]=with, comma', 'ac'],
    ['where[not][tags][in][]=with, comma', 'ac'],
    ['where[or][0][slug][in][]=a&where[or][1][tags][in][]=with, comma', 'ab'],
    ['where[author.name][in][]=Ann, of Ink', 'a'],
    ['where[author.name][in][]=Ann&where[author.name][in][]=of Ink', ''],
  ])('%s', async (query, expected) => {
    expect(await findSlugs(query)).toBe(expected)
  })

  test('updates and deletions change the matches', async () => {
    const { id } = await add({ slug: 'd', tags: ['soon'] })
    expect(await findSlugs('where[tags][in]=soon')).toBe('d')
    await sendRequest(service, `/api/posts/${id}`, { method: 'PUT', json: { tags: ['later'] } })
    expect(await findSlugs('where[tags][in]=soon')).toBe('')
    expect(await findSlugs('where[tags][in]=later')).toBe('d')
    await sendRequest(service, `/api/posts/${id}`, { method: 'DELETE' })
    expect(await findSlugs('where[tags][in]=later')).toBe('')
  })

  test('a hidden list is unknown', async () => {
    expect(await issue('where[inner][in]=canary')).toBe('Filtering by "inner" is not possible.')
    expect(await issue('sort=inner')).toBe('Sorting by "inner" is not possible.')
    expect(await findSlugs('where[inner][in]=canary', true)).toBe('a')
  })

  test('a list without an index or with a value for each locale cannot be filtered', async () => {
    expect(await issue('where[plain][in]=x')).toBe('Filtering by "plain" is not possible.')
    expect(await issue('where[local][in]=hello')).toBe('Filtering by "local" is not possible.')
    expect(await issue('where[texts][in]=hello')).toBe('Filtering by "texts" is not possible.')
  })

  test('at most 500 values in a filter and 1,000 items in a list are accepted', async () => {
    const texts = (count: number) => Array.from({ length: count }, (_, index) => `t${index}`)
    expect((await sendRequest(service, `/api/posts?where[tags][in]=${texts(500).join()}`)).status).toBe(200)
    expect(await issue(`where[tags][in]=${texts(501).join()}`)).toBe('where[tags][in] must have at most 500 values.')
    const { id } = await add({ slug: 'e', tags: texts(1000), plain: texts(1000) })
    expect(await findSlugs('where[tags][all]=t0,t999')).toBe('e')
    const refused = await sendRequest(service, `/api/posts/${id}`, { method: 'PUT', json: { tags: texts(1001) } })
    expect(refused.status).toBe(400)
    await sendRequest(service, `/api/posts/${id}`, { method: 'DELETE' })
  })

  test('only operators for lists accept []', async () => {
    for (const query of ['where[slug][eq][]=a', 'where[slug][]=a', 'where[not][]=a', 'where[slug][in][][]=a'])
      expect((await sendRequest(service, `/api/posts?${query}`)).status, query).toBe(400)
    expect(await issue('where[slug][eq][]=a')).toBe(
      '[] is allowed only after an operator that takes a list: in, nin, all.',
    )
  })

  test('sorting by a list is rejected with the reason', async () => {
    expect(await issue('sort=tags')).toBe(
      'Sorting by "tags" is not possible, because it has several values. Filter by it with where[tags][in].',
    )
  })

  test('sorting by a relation is rejected with the reason and two alternatives', async () => {
    const message = await issue('sort=author.name')
    expect(message).toBe(
      'Sorting by "author.name" is not possible, because it is a field of a related entry. Store the value in the entry as well, or list the related entries sorted and filter by where[author][in].',
    )
    // The fields of the other collection are not revealed.
    expect(await issue('sort=author.nothing')).toBe(message?.replace('author.name', 'author.nothing'))
    expect(await issue('sort=slug.name')).toBe('Sorting by "slug.name" is not possible.')
  })

  test('existing entries are found by a newly indexed list at the next start', async () => {
    const notes = (tags: object) => ({ collections: { notes: { fields: { tags, name: f.text() } } } })
    await using place = await store.at()
    const list = { where: { tags: { in: ['x'] } }, aggregate: 'count:tags' } as const
    await place.serve(notes(f.list(f.text(), { index: false })), async (service) => {
      await create(service, 'notes', { tags: ['x', 'x', 'y'] })
      await create(service, 'notes', { tags: ['y'] })
      await expect(service.content.list('notes', list as never)).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
      })
    })
    for (const counted of [false, true]) {
      await place.serve(notes(f.list(f.text(), { counted })), async (service) => {
        expect(await service.content.list('notes', list as never)).toMatchObject({ total: 1 })
        const all = await service.content.list('notes', { aggregate: 'count:tags' })
        expect(all.aggregates).toEqual({
          'count:tags': [
            { value: 'y', count: 2 },
            { value: 'x', count: 1 },
          ],
        })
      })
    }
    // Values of the former type do not count.
    await place.serve(notes(f.list(f.integer(), { counted: true })), async (service) => {
      const all = await service.content.list('notes', { aggregate: 'count:tags' })
      expect(all.aggregates).toEqual({ 'count:tags': [] })
      await create(service, 'notes', { tags: [3] })
      const after = await service.content.list('notes', { aggregate: 'count:tags' })
      expect(after.aggregates).toEqual({ 'count:tags': [{ value: 3, count: 1 }] })
    })
  })
})

test('an indexed list of more than 1,000 items is rejected at start', async () => {
  const fields = { tags: f.list(f.text(), { max: 1001 }) }
  await expect(createTestService({ collections: { notes: { fields } } })).rejects.toThrow(
    'must be at most 1000, unless the list has index: false',
  )
})
