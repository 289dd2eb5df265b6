import { DaybookError } from 'daybook'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { RecordingLog } from '../support/recording-log.ts'
import { POLICY_STORES, type StoredService } from '../support/stores/stores.ts'
import { clearProbes, createSender, people, probedConfig, probes, type SentResponse } from './probed-config.ts'

describe.each(POLICY_STORES)('beforeValidate on $name', (store) => {
  let service: StoredService
  let log: RecordingLog
  let send: ReturnType<typeof createSender>

  beforeEach(async () => {
    log = new RecordingLog()
    service = await store.open(probedConfig, { log })
    send = createSender(service)
  })
  afterEach(async () => {
    clearProbes()
    await service.close()
  })

  const make = (data: object = {}): Promise<SentResponse> => send('ann', 'POST', '/api/posts', { title: 'A', ...data })
  const stored = async (): Promise<unknown> => (await send('ada', 'GET', '/api/posts?sort=title')).body.items

  test('receives the fields that the write names, and returns those to store', async () => {
    const seen: unknown[] = []
    probes.validate = ({ action, collection, id, data, locale, identity }) => {
      seen.push({ action, collection, id, data, locale, who: identity?.subject })
      return { ...data, title: String(data.title).trim() }
    }
    const { body: post } = await send('ann', 'POST', '/api/posts', { title: '  Hello ', id: 'ignored' })
    expect(post).toMatchObject({ title: 'Hello', slug: 'hello' })
    await send('ann', 'PUT', `/api/posts/${post.id}?locale=de`, { title: ' Hallo ' })
    expect((await send('', 'GET', '/api/posts/hello?locale=de')).body).toMatchObject({ title: 'Hallo' })
    const about = { collection: 'posts', who: 'ann' }
    expect(seen).toEqual([
      { ...about, action: 'create', id: undefined, data: { title: '  Hello ' }, locale: 'en' },
      { ...about, action: 'update', id: post.id, data: { title: ' Hallo ' }, locale: 'de' },
    ])
  })

  test('receives the merged values of a merge patch', async () => {
    const { body: post } = await make({ seo: { words: 'a b', weight: 1 } })
    let seen: unknown
    probes.validate = ({ data }) => {
      seen = data
    }
    const patched = await send('ann', 'PATCH', `/api/posts/${post.id}`, { seo: { weight: 2 } })
    expect(seen).toEqual({ seo: { words: 'a b', weight: 2 } })
    expect(patched.body.seo).toEqual({ words: 'a b', weight: 2 })
  })

  test('runs for a global, and may fill in required fields', async () => {
    const seen: unknown[] = []
    probes.validateSite = ({ action, global, data }) => {
      seen.push({ action, global, data })
      return { name: 'Blog', ...data }
    }
    expect((await send('ann', 'PUT', '/api/globals/site', { tag: 'x' })).body).toMatchObject({ name: 'Blog', tag: 'x' })
    expect(seen).toEqual([{ action: 'update', global: 'site', data: { tag: 'x' } }])
  })

  test('does not run for a write that lacks rights, an entry, or known fields', async () => {
    let runs = 0
    probes.validate = () => {
      runs += 1
    }
    probes.validateNote = probes.validate
    const { body: post } = await make()
    expect(runs).toBe(1)
    const refused = [
      await send('', 'POST', '/api/posts', { title: 'A' }),
      await send('ann', 'POST', '/api/notes', { text: 'A' }),
      await make({ nope: 1 }),
      await make({ secret: 'known to nobody' }),
      await send('ann', 'PUT', '/api/posts/0198c0de-1111-7000-8000-00000000000b', { title: 'B' }),
      await send('ann', 'PATCH', `/api/posts/${post.id}`, { nope: 1 }),
    ]
    expect(refused.map(({ status }) => status)).toEqual([401, 403, 400, 400, 404, 400])
    expect(runs).toBe(1)
  })

  test('changes nothing by mutating the data that it receives', async () => {
    probes.validate = ({ data }) => {
      Object.assign(data, { title: 'changed' })
    }
    expect((await make()).body.title).toBe('A')
  })

  test('leaves values that JSON cannot hold to validation', async () => {
    probes.validate = () => {}
    const posted = service.content.as(people.caller('ann')).create('posts', { title: () => 'A' } as never)
    await expect(posted).rejects.toMatchObject({ code: 'VALIDATION_ERROR' })
  })

  test('returns data that is checked as if the caller had sent it', async () => {
    const cases: readonly [object, number, unknown][] = [
      [{ title: '' }, 400, { path: '/title', code: 'required' }],
      [{ title: 'x'.repeat(41) }, 400, { path: '/title', code: 'maxLength' }],
      [{ title: 'A', rank: -1 }, 400, { path: '/rank', code: 'minimum' }],
      [{ title: 'A', link: '0198c0de-1111-7000-8000-00000000000b' }, 400, { path: '/link', code: 'reference' }],
      [{ title: 'A', secret: 'x' }, 400, { path: '/secret', code: 'unknown_field' }],
      [{ title: 'A', locked: 'x' }, 403, { path: '/locked', code: 'forbidden' }],
    ]
    for (const [data, status, issue] of cases) {
      probes.validate = () => data
      const refused = await make()
      expect(refused.status).toBe(status)
      expect(refused.body.details?.issues).toEqual([expect.objectContaining(issue)])
    }
    expect(await stored()).toEqual([])
    probes.validate = () => ({ title: 'A', secret: 'x', locked: 'y' })
    expect((await send('ada', 'POST', '/api/posts', { title: 'B' })).body).toMatchObject({ secret: 'x', locked: 'y' })
  })

  test('fails the write and is logged when it returns anything but data of the collection', async () => {
    const cyclic: Record<string, unknown> = {}
    cyclic.title = cyclic
    for (const data of [
      'A',
      7,
      null,
      [{ title: 'A' }],
      { nope: 1 },
      { title: () => 'A' },
      { rank: Number.NaN },
      cyclic,
    ]) {
      probes.validate = () => data
      expect((await make()).status).toBe(500)
      expect(log.take().join('\n')).toMatch(/A hook of posts \(plugin probe\)/)
    }
    expect(await stored()).toEqual([])
  })

  test('rejects with its own DaybookError; any other error is hidden from the caller', async () => {
    probes.validate = () => {
      throw new DaybookError('CONFLICT', 'The issue is closed.', { issue: 7 })
    }
    expect(await make()).toMatchObject({
      status: 409,
      body: { code: 'CONFLICT', message: 'The issue is closed.', details: { issue: 7 } },
    })
    probes.validate = async () => Promise.reject(new Error('lost the password "hunter2"'))
    const failed = await make()
    expect(failed).toMatchObject({ status: 500, body: { code: 'INTERNAL_ERROR', details: {} } })
    expect(JSON.stringify(failed.body)).not.toMatch(/hunter2|probe/)
    expect(log.take().join('\n')).toMatch(/beforeValidate of posts \(plugin probe\) failed.*hunter2/s)
    expect(await stored()).toEqual([])
  })

  test('fails only its own write with 503 when it hangs', async () => {
    probes.validate = ({ data }) => (data.title === 'hangs' ? new Promise(() => {}) : undefined)
    const hanging = make({ title: 'hangs' })
    expect((await make()).status).toBe(201)
    expect(await hanging).toMatchObject({ status: 503, body: { code: 'SERVICE_UNAVAILABLE' } })
    expect(log.take().join('\n')).toMatch(/beforeValidate of posts \(plugin probe\) took longer than 1500 ms/)
    expect(await stored()).toMatchObject([{ title: 'A' }])
  })

  test('reads with the rights of the caller, and can write as the system', async () => {
    await send('ada', 'POST', '/api/posts', { title: 'seen', secret: 's' })
    probes.validate = async ({ content, asSystem }) => {
      const post = await content.get('posts', 'seen')
      await expect(content.create('notes', { text: 'x' })).rejects.toMatchObject({ code: 'FORBIDDEN' })
      await asSystem({ reason: 'counts' }).create('notes', { text: String(post && 'secret' in post) })
    }
    expect((await make()).status).toBe(201)
    expect((await send('', 'GET', '/api/notes')).body.items).toMatchObject([{ text: 'false' }])
  })

  test('may not recurse without end', async () => {
    probes.validate = async ({ content, data }) => {
      await content.create('posts', { title: `${data.title}+` })
    }
    expect((await make()).status).toBe(500)
    expect(log.take().join('\n')).toMatch(/8 levels deep/)
    expect(await stored()).toEqual([])
  })
})
