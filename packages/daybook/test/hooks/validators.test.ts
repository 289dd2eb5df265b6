import { ANONYMOUS, DaybookError, defineCollection, f } from 'daybook'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { RecordingLog } from '../support/recording-log.ts'
import { POLICY_STORES, type StoredService } from '../support/stores/stores.ts'
import { checkedConfig, checks, clearChecks, type ValidatorContext } from './checked-config.ts'
import { createSender, people, type SentResponse } from './probed-config.ts'

const LATER = '2026-11-20T12:00:00.000Z'
const EARLIER = '2026-11-20T08:00:00.000Z'

describe.each(POLICY_STORES)('validators on $name', (store) => {
  let service: StoredService
  let log: RecordingLog
  let send: ReturnType<typeof createSender>

  beforeEach(async () => {
    log = new RecordingLog()
    service = await store.open(checkedConfig, { log })
    send = createSender(service)
  })
  afterEach(async () => {
    clearChecks()
    await service.close()
  })

  const make = (data: object = {}, name = 'ann'): Promise<SentResponse> =>
    send(name, 'POST', '/api/events', { title: 'A', ...data })
  const change = (id: string, data: object, name = 'ann'): Promise<SentResponse> =>
    send(name, 'PUT', `/api/events/${id}`, data)
  const events = async (): Promise<unknown> => (await send('ada', 'GET', '/api/events?sort=title')).body.items
  const endsLate = (entry: unknown): unknown => {
    const { startsAt, endsAt } = entry as Record<string, string | null>
    return startsAt && endsAt && startsAt >= endsAt ? [{ path: '/endsAt', message: 'must be after startsAt' }] : []
  }

  test('of a collection check several fields of a new or changed document together', async () => {
    checks.event = endsLate
    const refused = await make({ startsAt: LATER, endsAt: EARLIER })
    expect(refused).toMatchObject({
      status: 400,
      body: {
        code: 'VALIDATION_ERROR',
        message: 'endsAt must be after startsAt.',
        details: { issues: [{ path: '/endsAt', code: 'validate', message: 'endsAt must be after startsAt.' }] },
      },
    })
    expect(await events()).toEqual([])
    const { body: event } = await make({ startsAt: EARLIER })
    expect(await change(event.id, { endsAt: '2026-11-20T07:00:00Z' })).toMatchObject({ status: 400 })
    expect(await send('ann', 'PATCH', `/api/events/${event.id}`, { endsAt: EARLIER })).toMatchObject({ status: 400 })
    expect(await change(event.id, { endsAt: LATER })).toMatchObject({ status: 200, body: { endsAt: LATER } })
  })

  test('of a field receive its value, and return a message', async () => {
    checks.title = (value) => (value === 'a' ? 'must begin with a capital' : undefined)
    expect(await make({ title: 'a' })).toMatchObject({
      status: 400,
      body: {
        details: { issues: [{ path: '/title', code: 'validate', message: 'title must begin with a capital.' }] },
      },
    })
    expect(await make()).toMatchObject({ status: 201 })
  })

  test('of a field inside lists and blocks receive each value that exists', async () => {
    const seen: unknown[] = []
    checks.step = (value) => {
      seen.push(value)
      return value === 'bad' ? { message: 'is bad', code: 'bad' } : null
    }
    const steps = [{ text: 'one' }, { text: 'bad' }, { minutes: 3 }]
    const parts = [{ _type: 'rule' }, { _type: 'quote', text: 'bad' }]
    expect((await make({ steps, parts })).body.details?.issues).toEqual([
      { path: '/steps/1/text', code: 'bad', message: 'steps.1.text is bad.' },
      { path: '/parts/1/text', code: 'bad', message: 'parts.1.text is bad.' },
    ])
    expect(seen).toEqual(['one', 'bad', 'bad'])
  })

  test('contribute their issues to one error, at most 100', async () => {
    checks.title = () => ['is dull', { message: 'is short', code: 'tooShort' }]
    checks.event = () => ['There is no room.', { path: '/seats', message: 'are missing' }]
    expect((await make()).body.details?.issues).toEqual([
      { path: '/title', code: 'validate', message: 'title is dull.' },
      { path: '/title', code: 'tooShort', message: 'title is short.' },
      { path: '/', code: 'validate', message: 'There is no room.' },
      { path: '/seats', code: 'validate', message: 'seats are missing.' },
    ])
    checks.event = () => Array.from({ length: 300 }, () => 'no')
    expect((await make()).body.details?.issues).toHaveLength(100)
  })

  test('receive the document before and after, the operation, the identity and the locale', async () => {
    const seen: unknown[] = []
    checks.event = (entry, { before, operation, identity, locale }) => {
      const { id, title, slug } = entry as Record<string, unknown>
      seen.push({ id, title, slug, before: before?.title, operation, who: identity?.subject, locale })
    }
    const { body: event } = await make()
    await change(event.id, { title: 'B' })
    const same = { id: event.id, slug: 'a', who: 'ann', locale: 'en' }
    expect(seen).toEqual([
      { ...same, title: 'A', before: undefined, operation: 'create' },
      { ...same, title: 'B', before: 'A', operation: 'update' },
    ])
  })

  test('receive a localized document with the fallbacks of the written locale', async () => {
    const { body: event } = await make()
    const seen: unknown[] = []
    checks.title = (value, { entry }) => void seen.push([value, entry.title])
    await send('ann', 'PUT', `/api/events/${event.id}?locale=de`, { seats: 1 })
    await send('ann', 'PUT', `/api/events/${event.id}?locale=de`, { title: 'Ä' })
    expect(seen).toEqual([
      ['A', 'A'],
      ['Ä', 'Ä'],
    ])
  })

  test('check globals', async () => {
    checks.site = (site, { before, operation }) => {
      const { name } = site as { name: string }
      return name === 'bad' ? `The ${operation} of ${before?.name ?? 'nothing'} is bad.` : []
    }
    const put = (name: string): Promise<SentResponse> => send('ann', 'PUT', '/api/globals/site', { name })
    expect((await put('bad')).body.message).toBe('The create of nothing is bad.')
    expect(await put('good')).toMatchObject({ status: 200 })
    expect((await put('bad')).body.message).toBe('The update of good is bad.')
  })

  test('check each operation of a batch, and see the writes of earlier operations', async () => {
    checks.event = async (entry, { content }) => {
      const { total } = await content.list('events')
      return (entry as { title: string }).title === `of ${total}` ? [] : [{ path: '/title', message: `of ${total}` }]
    }
    const create = (title: string) => ({ op: 'create', collection: 'events', data: { title } })
    expect(await send('ann', 'POST', '/api/cms/batch', { operations: [create('of 0'), create('of 0')] })).toMatchObject(
      { status: 400, body: { details: { issues: [{ path: '/operations/1/data/title' }] } } },
    )
    expect(await events()).toEqual([])
    expect(await send('ann', 'POST', '/api/cms/batch', { operations: [create('of 0'), create('of 1')] })).toMatchObject(
      { status: 200 },
    )
  })

  test('read with the rights of the caller, and cannot write', async () => {
    await make({ title: 'seen', secret: 's' }, 'ada')
    let writers: unknown
    checks.event = async (_entry, { content }) => {
      writers = Object.keys(content)
      const seen = await content.get('events', 'seen')
      return seen && 'secret' in seen ? 'sees what the caller may not' : undefined
    }
    expect((await make()).status).toBe(201)
    expect((await make({}, 'ada')).status).toBe(400)
    expect(writers).toEqual(['get', 'list', 'readGlobal'])
  })

  describe('reveal nothing that the caller may not read', () => {
    test('because hidden fields are empty, before and after, unless the caller sends them', async () => {
      const { body: event } = await make({ secret: 's', note: 'n' }, 'ada')
      const seen: unknown[] = []
      checks.event = (entry, { before }) => {
        const { secret, note } = entry as Record<string, unknown>
        seen.push([before?.secret, before?.note, secret, note])
      }
      await change(event.id, { seats: 1 })
      await change(event.id, { note: 'mine' })
      await change(event.id, { seats: 2 }, 'ada')
      expect(seen).toEqual([
        [null, null, null, null],
        [null, null, null, 'mine'],
        ['s', 'mine', 's', 'mine'],
      ])
    })

    test('because issues about hidden fields are dropped and do not reject the write', async () => {
      const { body: event } = await make({ secret: 's' }, 'ada')
      checks.secret = () => 'is wrong'
      checks.event = (entry) =>
        (entry as { secret: unknown }).secret === null ? [{ path: '/secret', message: 'is missing' }] : []
      expect(await change(event.id, { seats: 1 })).toMatchObject({ status: 200 })
      expect((await change(event.id, { seats: 2 }, 'ada')).body.details?.issues).toEqual([
        { path: '/secret', code: 'validate', message: 'secret is wrong.' },
      ])
    })
  })

  describe('fail', () => {
    const named = /validat\w+ of events \((?:field title|collection events)\)/

    test('by throwing: the error is logged and hidden from the caller, unless it is a DaybookError', async () => {
      for (const key of ['title', 'event'] as const) {
        clearChecks()
        checks[key] = () => {
          throw new Error('lost the password "hunter2"')
        }
        const failed = await make()
        expect(failed).toMatchObject({ status: 500, body: { code: 'INTERNAL_ERROR', details: {} } })
        expect(JSON.stringify(failed.body)).not.toMatch(/hunter2|title/)
        const logged = log.take().join('\n')
        expect(logged).toMatch(named)
        expect(logged).toMatch(/hunter2/)
      }
      checks.event = () => Promise.reject(new DaybookError('CONFLICT', 'The hall is taken.'))
      clearTitle()
      expect(await make()).toMatchObject({ status: 409, body: { message: 'The hall is taken.' } })
      expect(await events()).toEqual([])
    })

    test('by hanging: their write ends with 503, and the next write succeeds', async () => {
      checks.event = (entry) => ((entry as { title: string }).title === 'hangs' ? new Promise(() => {}) : undefined)
      const hanging = make({ title: 'hangs' })
      expect((await make()).status).toBe(201)
      expect(await hanging).toMatchObject({ status: 503, body: { code: 'SERVICE_UNAVAILABLE' } })
      expect(log.take().join('\n')).toMatch(/took longer than \d+ ms/)
      expect(await events()).toMatchObject([{ title: 'A' }])
    })

    test('by returning an invalid result: 500, and the log explains valid results', async () => {
      const cases: readonly [unknown, RegExp][] = [
        [true, /must return nothing, a message, or issues/],
        [false, /must return nothing/],
        [7, /must return nothing/],
        ['', /a message/],
        [['ok', 7], /must return nothing/],
        [{ path: '/seats' }, /a message/],
        [{ message: 'x'.repeat(1001) }, /at most 1000 characters/],
        [{ message: 'no', where: '/seats' }, /an issue with an unknown member where/],
        [{ message: 'no', code: 'Not a key' }, /the code Not a key/],
        [{ message: 'no', params: { limit: { most: 3 } } }, /params that are not/],
        [{ message: 'no', path: 7 }, /the path 7/],
      ]
      for (const [result, reason] of cases) {
        checks.event = () => result
        expect(await make(), String(result)).toMatchObject({ status: 500, body: { details: {} } })
        const logged = log.take().join('\n')
        expect(logged).toMatch(named)
        expect(logged).toMatch(reason)
      }
      expect(await events()).toEqual([])
    })

    test('by naming a path that does not exist; a path into a value is valid', async () => {
      const data = { steps: [{ text: 'one' }], tags: ['a'], parts: [{ _type: 'rule' }], extra: { any: 1 } }
      const wrong = ['seats', '/nope', '/steps/1', '/steps/x', '/steps/0/nope', '/tags/0/x', '/tags/1', '/parts/0/text']
      for (const path of [...wrong, '/title/x', '/__proto__', '/id']) {
        checks.event = () => [{ path, message: 'No.' }]
        expect(await make(data), path).toMatchObject({ status: 500 })
        expect(log.take().join('\n')).toContain(`the path ${path}, which does not exist`)
      }
      for (const path of [
        '/',
        '/seats',
        '/steps',
        '/steps/0',
        '/steps/0/minutes',
        '/tags/0',
        '/parts/0/wide',
        '/extra/a/b',
      ]) {
        checks.event = () => [{ path, message: 'No.' }]
        expect((await make(data)).body.details?.issues, path).toEqual([{ path, code: 'validate', message: 'No.' }])
      }
    })

    test('by mutating their arguments, which are frozen', async () => {
      for (const mutate of [
        (entry: unknown) => Object.assign(entry as object, { title: 'changed' }),
        (entry: unknown) => (entry as { steps: unknown[] }).steps.push({ text: 'more' }),
        (_entry: unknown, { before }: ValidatorContext) => Object.assign(before ?? {}, { title: 'changed' }),
      ]) {
        clearChecks()
        const { body: event } = await make({ title: 'kept', steps: [{ text: 'one' }] })
        checks.event = (entry, context) => void mutate(entry, context)
        expect(await change(event.id, { seats: 1 })).toMatchObject({ status: 500 })
        expect(log.take().join('\n')).toMatch(/TypeError/)
        expect(await events()).toMatchObject([{ title: 'kept', seats: null, steps: [{ text: 'one' }] }])
        clearChecks()
        await send('ann', 'DELETE', `/api/events/${event.id}`)
      }
    })

    test('by calling the service, which throws at once instead of a deadlock', async () => {
      const { body: event } = await make()
      const calls: readonly (() => Promise<unknown>)[] = [
        () => service.content.as(people.caller('ann')).update('events', event.id, { seats: 2 }),
        () => service.content.as(ANONYMOUS).get('events', event.id),
      ]
      for (const call of calls) {
        checks.event = call
        expect(await change(event.id, { seats: 1 })).toMatchObject({ status: 500 })
        expect(log.take().join('\n')).toMatch(/would wait for that transaction/)
      }
      clearChecks()
      expect(await change(event.id, { seats: 3 })).toMatchObject({ status: 200, body: { seats: 3 } })
    })
  })

  test('do not run for invalid writes, deletions or reads', async () => {
    const { body: event } = await make()
    let runs = 0
    checks.event = () => {
      runs += 1
    }
    checks.title = checks.event
    await make({ seats: -1 })
    await send('', 'POST', '/api/events', { title: 'A' })
    await send('ann', 'PUT', `/api/events/${event.id}`, { title: null })
    await send('', 'GET', '/api/events')
    await send('ann', 'DELETE', `/api/events/${event.id}`)
    expect(runs).toBe(0)
  })

  test('run for the seed, in-process calls, and writes with an Idempotency-Key', async () => {
    checks.title = (title) => (title === 'bad' ? 'is bad' : undefined)
    const seeded = store.open({
      ...checkedConfig,
      seed: async ({ create }) => void (await create('events', { title: 'bad' })),
    })
    await expect(seeded).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { issues: [{ path: '/title', message: 'title is bad.' }] },
    })
    const called = service.content.as(people.caller('ann')).create('events', { title: 'bad' } as never)
    await expect(called).rejects.toMatchObject({ code: 'VALIDATION_ERROR' })
    const headers = { Authorization: 'Bearer ann', 'Content-Type': 'application/json', 'Idempotency-Key': 'k' }
    const repeated = { method: 'POST', headers, body: '{"title":"bad"}' }
    expect((await service.request('/api/events', repeated)).status).toBe(400)
    expect((await service.request('/api/events', repeated)).status).toBe(400)
    expect(await events()).toEqual([])
  })

  test('receive the document as hooks have changed it', async () => {
    let seen: unknown
    const config = {
      collections: {
        posts: defineCollection({
          fields: { title: f.text(), words: f.integer() },
          hooks: {
            beforeValidate: ({ data }) => ({ ...data, title: String(data.title).trim() }),
            beforeChange: ({ after }) => ({ words: after?.title?.split(' ').length }),
          },
          validate: ({ title, words }) => {
            seen = { title, words }
          },
        }),
      },
    }
    await using hookedService = await store.open(config)
    const caller = people.caller('ann')
    await hookedService.content.as(caller).create('posts', { title: ' one two ' } as never)
    expect(seen).toEqual({ title: 'one two', words: 2 })
  })

  const clearTitle = (): void => {
    delete checks.title
  }
})
