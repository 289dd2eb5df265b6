import { ANONYMOUS, DaybookError, defineCollection, defineConfig, etagOf, f } from 'daybook'
import { beforeEach, describe, expect, test } from 'vitest'
import { POLICY_STORES, type StoredService } from '../support/stores/stores.ts'

const LATER = '2999-01-01T00:00:00.000Z'
const LAST = '2999-01-02T00:00:00.000Z'

const config = defineConfig({
  locales: { available: ['en', 'de'], default: 'en' },
  collections: {
    posts: defineCollection({
      fields: {
        title: f.text({ required: true, localized: true }),
        status: f.status(),
        minutes: f.integer(),
        seo: f.group({ title: f.text(), text: f.text() }),
      },
    }),
    notes: defineCollection({ fields: { text: f.text() } }),
  },
})

async function refusal(call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  return error instanceof DaybookError ? error.code : String(error)
}

describe.each(POLICY_STORES)('drafts in the in-process API on $name', (store) => {
  let service: StoredService<typeof config>
  let content: ReturnType<StoredService<typeof config>['content']['as']>
  beforeEach(async () => {
    service = await store.open<typeof config>(config)
    content = service.content
    return () => service.close()
  })

  test('can be saved, read, discarded and published', async () => {
    const { id } = await content.create('posts', { title: 'One' })
    const saved = await content.saveDraft('posts', id, { title: 'Two', seo: { title: 'S' } })
    expect(saved).toMatchObject({ title: 'Two', hasDraft: true, publishAt: null })
    expect(await content.get('posts', id)).toMatchObject({ title: 'One' })
    expect(await content.get('posts', id, { draft: true })).toEqual(saved)
    expect((await content.list('posts', { draft: true })).items).toEqual([saved])
    const merged = await content.saveDraft('posts', id, { seo: { text: 'T' } }, { merge: true, ifMatch: etagOf(saved) })
    expect(merged.seo).toEqual({ title: 'S', text: 'T' })
    expect(await refusal(content.saveDraft('posts', id, {}, { ifMatch: etagOf(saved) }))).toBe('PRECONDITION_FAILED')
    const published = await content.publish('posts', id, { ifMatch: etagOf(merged) })
    expect(published).toMatchObject({ title: 'Two', seo: { text: 'T' } })
    expect(await refusal(content.discardDraft('posts', id))).toBe('NOT_FOUND')
    await content.saveDraft('posts', id, { title: null })
    await content.discardDraft('posts', id)
    expect(await content.get('posts', id, { draft: true })).toMatchObject({ title: 'Two', hasDraft: false })
    expect((await content.unpublish('posts', id)).status).toBe('draft')
  })

  test('can be published in one locale', async () => {
    const { id } = await content.create('posts', { title: 'One' })
    await content.saveDraft('posts', id, { title: 'Two' })
    await content.saveDraft('posts', id, { title: 'Zwei' }, { locale: 'de' })
    await content.publish('posts', id, { locales: ['de'] })
    expect(await content.get('posts', id, { locale: 'all' })).toMatchObject({ title: { en: 'One', de: 'Zwei' } })
  })

  test('replace the previous autosave when autosaved', async () => {
    const { id } = await content.create('posts', { title: 'One' })
    for (const title of ['T', 'Tw', 'Two']) await content.saveDraft('posts', id, { title }, { autosave: true })
    const replacedStates = await service.rows('SELECT seq FROM daybook$journal_payload WHERE seq > 1')
    expect(replacedStates).toEqual([])
  })

  test('can be scheduled and unscheduled', async () => {
    const { id } = await content.create('posts', { title: 'One' })
    expect(await content.publish('posts', id, { at: LATER })).toMatchObject({ publishAt: LATER, unpublishAt: null })
    expect(await content.unpublish('posts', id, { at: LAST })).toMatchObject({ publishAt: LATER, unpublishAt: LAST })
    await content.unschedule('posts', id)
    expect(await content.get('posts', id, { draft: true })).toMatchObject({ publishAt: null, unpublishAt: null })
    expect(await refusal(content.unschedule('posts', id))).toBe('NOT_FOUND')
  })

  test('can be restored from an earlier version', async () => {
    const { id } = await content.create('posts', { title: 'One' })
    await content.update('posts', id, { title: 'Two' })
    expect(await content.restore('posts', id, 1)).toMatchObject({ title: 'One', hasDraft: true })
    expect(await content.get('posts', id)).toMatchObject({ title: 'Two' })
    const note = await content.create('notes', { text: 'one' })
    // A tag begins with its revision.
    const seq = Number.parseInt(etagOf(note).slice(1), 36)
    await content.update('notes', note.id, { text: 'two' })
    expect(await content.restore('notes', note.id, seq)).toMatchObject({ text: 'one' })
  })

  test('are changed along with their entries by a bulk update', async () => {
    const ids = await Promise.all(['A', 'B', 'C'].map(async (title) => (await content.create('posts', { title })).id))
    for (const id of ids.slice(1)) await content.saveDraft('posts', id, { title: 'Draft' })
    const outcome = await content.updateMany('posts', { title: { in: ['A', 'B', 'C'] } }, { minutes: 5 })
    expect(outcome).toMatchObject({ matched: 3, changed: 3 })
    const { items } = await content.list('posts', { draft: true, sort: 'title' })
    expect(items).toMatchObject([
      { title: 'A', minutes: 5, hasDraft: false },
      { title: 'Draft', minutes: 5, hasDraft: true },
      { title: 'Draft', minutes: 5, hasDraft: true },
    ])
    const deleted = await content.deleteMany('posts', { minutes: { eq: 5 } })
    expect(deleted).toMatchObject({ matched: 3, changed: 3 })
  })

  test('are published by a batch all together or not at all', async () => {
    const ids = await Promise.all(
      ['A', 'B'].map(async (title) => (await content.create('posts', { title, status: 'draft' })).id),
    )
    const operations = ids.map((id) => ({ op: 'publish', collection: 'posts', id }) as const)
    await content.saveDraft('posts', String(ids[1]), { title: null })
    expect(await refusal(content.batch(operations))).toBe('VALIDATION_ERROR')
    expect((await content.list('posts', { status: 'published' })).total).toBe(0)
    await content.discardDraft('posts', String(ids[1]))
    expect(await content.batch(operations)).toMatchObject([{ op: 'publish', entry: { status: 'published' } }, {}])
    const [first = ''] = ids
    const outcomes = await content.batch([
      { op: 'update', collection: 'posts', id: first, data: { title: 'A2' } },
      { op: 'unpublish', collection: 'posts', id: first, data: { unpublishAt: LATER } },
      { op: 'restore', collection: 'posts', id: first, data: { revision: 1 } },
    ])
    expect(outcomes).toMatchObject([{}, { entry: { unpublishAt: LATER } }, { entry: { title: 'A', hasDraft: true } }])
  })

  test('need a session and a collection with a status', async () => {
    const { id } = await content.create('posts', { title: 'One' })
    const nobody = service.content.as(ANONYMOUS)
    expect(await refusal(nobody.get('posts', id, { draft: true }))).toBe('UNAUTHORIZED')
    expect(await refusal(nobody.saveDraft('posts', id, {}))).toBe('UNAUTHORIZED')
    const note = await content.create('notes', { text: 'n' })
    expect(await refusal(content.saveDraft('notes' as never, note.id, {} as never))).toBe('VALIDATION_ERROR')
    expect(await refusal(content.get('notes', note.id, { draft: true } as never))).toBe('VALIDATION_ERROR')
  })

  describe('dry runs', () => {
    type Try = (id: string, options: { readonly dryRun: true }) => Promise<unknown>
    const TRIES: readonly (readonly [string, Try, unknown])[] = [
      ['create', (_id, options) => service.content.create('posts', { title: 'New' }, options), { title: 'New' }],
      ['update', (id, options) => service.content.update('posts', id, { title: 'New' }, options), { title: 'New' }],
      ['patch', (id, options) => service.content.patch('posts', id, { title: 'New' }, options), { title: 'New' }],
      ['delete', (id, options) => service.content.delete('posts', id, options), undefined],
      [
        'saveDraft',
        (id, options) => service.content.saveDraft('posts', id, { title: 'New' }, options),
        { title: 'New' },
      ],
      ['publish', (id, options) => service.content.publish('posts', id, options), { title: 'Draft' }],
      ['unpublish', (id, options) => service.content.unpublish('posts', id, options), { status: 'draft' }],
      ['restore', (id, options) => service.content.restore('posts', id, 1, options), { title: 'One' }],
      ['discardDraft', (id, options) => service.content.discardDraft('posts', id, options), undefined],
      [
        'batch',
        (id, options) => service.content.batch([{ op: 'publish', collection: 'posts', id }], options),
        [{ op: 'publish', entry: { title: 'Draft' } }],
      ],
    ]

    test.each(TRIES)('%s returns the result and stores nothing', async (name, attempt, expected) => {
      const { id } = await content.create('posts', { title: 'One' })
      await content.saveDraft('posts', id, { title: 'Draft' })
      const before = await content.get('posts', id, { draft: true })
      const tried = await attempt(id, { dryRun: true })
      if (expected === undefined) expect(tried).toBeUndefined()
      else expect(tried).toMatchObject(expected as object)
      if (name !== 'batch' && tried) expect(() => etagOf(tried)).toThrow(TypeError)
      expect(await content.get('posts', id, { draft: true })).toEqual(before)
      expect(await service.rows('SELECT seq FROM daybook$head')).toEqual([{ seq: 2 }])
    })

    test('fail with the error of the real call', async () => {
      const { id } = await content.create('posts', { title: 'One' })
      expect(await refusal(content.update('posts', id, { title: '' }, { dryRun: true }))).toBe('VALIDATION_ERROR')
      expect(await refusal(service.content.as(ANONYMOUS).delete('posts', id, { dryRun: true }))).toBe('UNAUTHORIZED')
    })
  })
})
