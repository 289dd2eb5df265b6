import { setTimeout as sleep } from 'node:timers/promises'
import { defineCollection, defineConfig, f } from 'daybook'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { People } from '../../support/auth/people.ts'
import { RecordingLog } from '../../support/recording-log.ts'
import { STORES, type StoredService } from '../../support/stores/stores.ts'
import { eventually } from '../../support/timeouts.ts'
import { Editor } from './editor.ts'

const people = new People({ ann: [], ben: [] })

const config = defineConfig({
  auth: people.adapter,
  locales: { available: ['en', 'de'], default: 'en' },
  collections: {
    posts: defineCollection({
      fields: {
        title: f.text({ required: true, localized: true }),
        status: f.status(),
        code: f.text({ unique: true }),
      },
    }),
  },
})

const soon = (ms = 300): string => new Date(Date.now() + ms).toISOString()
const LATER = '2999-01-01T00:00:00.000Z'

describe.each(STORES)('schedules on $name', (store) => {
  let service: StoredService
  let editor: Editor
  let log: RecordingLog
  beforeEach(async () => {
    log = new RecordingLog()
    service = await store.open(config, { log })
    editor = new Editor(service)
  })
  afterEach(async () => {
    await service.close()
  })

  const make = async (data: object = {}): Promise<string> =>
    (await editor.post('/api/posts', { title: 'Hello', ...data })).body.id
  const errors = (): readonly string[] => log.take().filter((line) => line.startsWith('error'))
  const records = async (...actions: readonly string[]) =>
    (await service.rows('SELECT action, actor FROM daybook$journal ORDER BY seq')).filter(({ action }) =>
      actions.includes(String(action)),
    )

  test('publish once, at their time, on behalf of their author', async () => {
    const id = await make({ status: 'draft' })
    await editor.put(`/api/posts/${id}?draft=true`, { title: 'Then' })
    const at = soon()
    const set = await editor.post(`/api/posts/${id}/publish`, { publishAt: at })
    expect(set).toMatchObject({ status: 200, body: { publishAt: at, hasDraft: true, status: 'draft' } })
    expect((await editor.get(`/api/posts/${id}?draft=true`)).body).toMatchObject({ publishAt: at })
    expect((await editor.get('/api/posts?draft=true')).body.items).toMatchObject([{ publishAt: at }])
    await eventually(async () => {
      expect((await editor.get(`/api/posts/${id}`, null)).body).toMatchObject({ title: 'Then', status: 'published' })
    })
    await sleep(200)
    expect(await records('publish')).toEqual([{ action: 'publish', actor: 'ann' }])
    expect((await editor.get(`/api/posts/${id}?draft=true`)).body).toMatchObject({ publishAt: null, hasDraft: false })
  })

  test('unpublish at their time, also entries that are published later', async () => {
    const id = await make({ status: 'draft' })
    await editor.post(`/api/posts/${id}/publish`, { publishAt: soon(100) })
    await editor.post(`/api/posts/${id}/unpublish`, { unpublishAt: soon(600) })
    await eventually(async () => {
      expect(await records('publish', 'unpublish')).toMatchObject([{ action: 'publish' }, { action: 'unpublish' }])
    })
    expect((await editor.get(`/api/posts/${id}`, null)).status).toBe(404)
  })

  test('change the tag for editors, but no public tag', async () => {
    const id = await make()
    const [before, draft] = [
      await editor.get(`/api/posts/${id}`, null),
      await editor.get(`/api/posts/${id}?draft=true`),
    ]
    await editor.post(`/api/posts/${id}/unpublish`, { unpublishAt: LATER })
    expect((await editor.get(`/api/posts/${id}`, null)).tag).toBe(before.tag)
    expect((await editor.get(`/api/posts/${id}?draft=true`)).tag).not.toBe(draft.tag)
  })

  test('publish the requested locales', async () => {
    const id = await make()
    await editor.put(`/api/posts/${id}?draft=true`, { title: 'New' })
    await editor.put(`/api/posts/${id}?draft=true&locale=de`, { title: 'Neu' })
    await editor.post(`/api/posts/${id}/publish`, { publishAt: soon(), locales: ['de'] })
    await eventually(async () => {
      expect((await editor.get(`/api/posts/${id}?locale=de`, null)).body).toMatchObject({ title: 'Neu' })
    })
    expect((await editor.get(`/api/posts/${id}`, null)).body).toMatchObject({ title: 'Hello' })
  })

  test('are canceled and replaced', async () => {
    const id = await make({ status: 'draft' })
    await editor.post(`/api/posts/${id}/publish`, { publishAt: soon(1500) })
    expect((await editor.delete(`/api/posts/${id}/schedule`)).status).toBe(204)
    expect((await editor.delete(`/api/posts/${id}/schedule`)).status).toBe(404)
    await editor.post(`/api/posts/${id}/publish`, { publishAt: soon(1500) })
    await editor.post(`/api/posts/${id}/publish`, { publishAt: LATER }, { as: 'ben' })
    await sleep(2000)
    expect(await records('publish')).toEqual([])
    expect((await editor.get(`/api/posts/${id}?draft=true`)).body).toMatchObject({ publishAt: LATER })
    expect(await records('schedule', 'unschedule')).toHaveLength(4)
  })

  test('end when their entry is published by hand or deleted', async () => {
    const [first, second] = [await make({ status: 'draft' }), await make({ status: 'draft' })]
    const publishAt = soon(1000)
    for (const id of [first, second]) await editor.post(`/api/posts/${id}/publish`, { publishAt })
    await editor.post(`/api/posts/${first}/publish`)
    await editor.delete(`/api/posts/${second}`)
    await eventually(async () => {
      expect(await service.rows('SELECT * FROM daybook$schedules')).toEqual([])
    })
    // On a busy machine, the time may come before the requests.
    expect(await records('scheduleFailed')).toEqual([])
    expect(errors()).toEqual([])
  })

  test('are rejected if the entry could not be published now', async () => {
    const id = await make()
    await editor.put(`/api/posts/${id}?draft=true`, { title: null })
    expect((await editor.post(`/api/posts/${id}/publish`, { publishAt: LATER })).status).toBe(400)
    expect(await service.rows('SELECT * FROM daybook$schedules')).toEqual([])
  })

  test('are recorded in the journal and the log when they fail, and retried', async () => {
    const id = await make()
    await editor.put(`/api/posts/${id}?draft=true`, { code: 'a' })
    await editor.post(`/api/posts/${id}/publish`, { publishAt: soon(500) })
    await make({ code: 'a' })
    await eventually(async () => {
      expect(await records('scheduleFailed')).toEqual([{ action: 'scheduleFailed', actor: 'ann' }])
    })
    expect(errors()).toHaveLength(1)
    const [row] = await service.rows('SELECT failures FROM daybook$schedules')
    expect(Number(row?.failures)).toBe(1)
    expect((await editor.get(`/api/posts/${id}`, null)).body).toMatchObject({ code: null })
  })

  test('need a date, a time and an offset', async () => {
    const id = await make()
    for (const at of ['2999-01-01', '2999-01-01T08:00', '2999-01-01T08:00:00', '2999-01-01 08:00:00'])
      for (const action of ['publish', 'unpublish']) {
        const refused = await editor.post(`/api/posts/${id}/${action}`, { [`${action}At`]: at })
        expect(refused).toMatchObject({ status: 400, body: { details: { issues: [{ path: `/${action}At` }] } } })
      }
    expect(await service.rows('SELECT * FROM daybook$schedules')).toEqual([])
  })

  test('must unpublish after they publish, whichever time is set second', async () => {
    const EARLIER = '2998-01-01T00:00:00.000Z'
    const order = [
      ['publish', LATER, 'unpublish', EARLIER],
      ['unpublish', EARLIER, 'publish', LATER],
      ['publish', LATER, 'unpublish', LATER],
    ] as const
    for (const [first, at, second, wrong] of order) {
      const id = await make({ status: 'draft' })
      expect((await editor.post(`/api/posts/${id}/${first}`, { [`${first}At`]: at })).status).toBe(200)
      const refused = await editor.post(`/api/posts/${id}/${second}`, { [`${second}At`]: wrong })
      expect(refused).toMatchObject({
        status: 400,
        body: { details: { issues: [{ path: `/${second}At`, code: 'order', message: expect.stringContaining(at) }] } },
      })
      const times = { publishAt: null, unpublishAt: null, [`${first}At`]: at }
      expect((await editor.get(`/api/posts/${id}?draft=true`)).body).toMatchObject(times)
    }
  })

  test('run at once if their time has passed', async () => {
    const id = await make({ status: 'draft' })
    const { body } = await editor.post(`/api/posts/${id}/publish`, { publishAt: '2020-01-01T00:00:00Z' })
    expect(body).toMatchObject({ status: 'published' })
  })

  test.each([-1, 1])('follow the clock of the database if the clock of a node is off by %i day', async (days) => {
    const id = await make({ status: 'draft' })
    const [due, later] = [soon(800), soon(60_000)]
    const second = await make({ status: 'draft' })
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + days * 24 * 60 * 60 * 1000 })
    try {
      for (const [entry, publishAt] of [
        [id, due],
        [second, later],
      ])
        expect((await editor.post(`/api/posts/${entry}/publish`, { publishAt })).body).toMatchObject({ publishAt })
      await eventually(async () => expect(await records('publish')).toHaveLength(1))
      await editor.put(`/api/posts/${id}`, { code: 'after' })
    } finally {
      vi.useRealTimers()
    }
    expect((await editor.get(`/api/posts/${id}`, null)).body).toMatchObject({ status: 'published', code: 'after' })
    expect((await editor.get(`/api/posts/${second}`, null)).status).toBe(404)
    const seqs = await service.rows('SELECT seq FROM daybook$journal ORDER BY seq')
    expect(seqs.map(({ seq }) => Number(seq))).toEqual(seqs.map((_, index) => index + 1))
  })
})
