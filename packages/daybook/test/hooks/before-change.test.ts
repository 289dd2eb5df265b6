import { ANONYMOUS, DaybookError } from 'daybook'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { RecordingLog } from '../support/recording-log.ts'
import { POLICY_STORES, type StoredService } from '../support/stores/stores.ts'
import { clearProbes, createSender, people, probedConfig, probes, type SentResponse } from './probed-config.ts'

const NOBODY = '0198c0de-1111-7000-8000-00000000000b'

describe.each(POLICY_STORES)('beforeChange on $name', (store) => {
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

  const make = (data: object = {}, name = 'ann'): Promise<SentResponse> =>
    send(name, 'POST', '/api/posts', { title: 'A', ...data })
  const posts = async (): Promise<unknown> => (await send('ada', 'GET', '/api/posts?sort=title')).body.items
  const notes = async (): Promise<unknown> => (await send('', 'GET', '/api/notes?sort=text')).body.items
  const journal = (): Promise<readonly unknown[]> =>
    service.rows('SELECT seq, actor, action, collection FROM daybook$journal ORDER BY seq')

  describe('receives', () => {
    test('the document before and after, with its derived fields', async () => {
      const seen: unknown[] = []
      probes.change = ({ action, collection, id, before, after, locale, identity }) => {
        seen.push({ action, collection, id, before, after, locale, who: identity?.subject })
      }
      const { body: post } = await make({ body: '*a*' })
      const { body: changed } = await send('ann', 'PUT', `/api/posts/${post.id}`, { body: '*b*' })
      expect((await send('ann', 'DELETE', `/api/posts/${post.id}`)).status).toBe(204)
      const about = { collection: 'posts', id: post.id, locale: 'en', who: 'ann' }
      const full = { secret: null }
      expect(seen).toEqual([
        { ...about, action: 'create', before: null, after: { ...post, ...full } },
        {
          ...about,
          action: 'update',
          before: { ...post, ...full },
          after: { ...changed, ...full, updatedAt: post.updatedAt },
        },
        { ...about, action: 'delete', before: { ...changed, ...full }, after: null },
      ])
    })

    test('the values of the written locale', async () => {
      const { body: post } = await make()
      const seen: unknown[] = []
      probes.change = ({ before, after, locale }) => void seen.push([locale, before?.title, after?.title])
      await send('ann', 'PUT', `/api/posts/${post.id}?locale=de`, { title: 'a' })
      await send('ann', 'PUT', `/api/posts/${post.id}?locale=de`, { title: 'ä' })
      await send('ann', 'PUT', `/api/posts/${post.id}`, { title: 'B' })
      expect(seen).toEqual([
        ['de', null, 'a'],
        ['de', 'a', 'ä'],
        ['en', 'A', 'B'],
      ])
    })

    test('a global, with `before: null` at its first write', async () => {
      const seen: unknown[] = []
      probes.changeSite = ({ action, global, before, after }) => {
        seen.push([action, global, before, after])
        return { tag: 'made' }
      }
      await send('ann', 'PUT', '/api/globals/site', { name: 'One' })
      expect((await send('', 'GET', '/api/globals/site')).body).toEqual({ key: 'site', name: 'One', tag: 'made' })
      await send('ann', 'PUT', '/api/globals/site', { name: 'Two' })
      expect(seen).toEqual([
        ['update', 'site', null, { key: 'site', name: 'One', tag: null, createdBy: 'ann', updatedBy: 'ann' }],
        [
          'update',
          'site',
          { key: 'site', name: 'One', tag: 'made', createdBy: 'ann', updatedBy: 'ann' },
          { key: 'site', name: 'Two', tag: 'made', createdBy: 'ann', updatedBy: 'ann' },
        ],
      ])
    })
  })

  describe('returns values', () => {
    test('that are stored along with derived fields', async () => {
      probes.change = ({ after }) => ({ title: `${after?.title}!`, body: '**made**', seo: { words: 'w' } })
      const { body: post } = await make({ body: '*sent*' })
      expect(post).toMatchObject({
        title: 'A!',
        slug: 'a',
        body: '**made**',
        bodyHtml: '<p><strong>made</strong></p>',
      })
      expect(post.seo).toEqual({ words: 'w', weight: null })
      const { items } = (await send('', 'GET', '/api/posts?q=made')).body
      expect(items).toMatchObject([{ id: post.id }])
      probes.change = () => ({ title: 'Other' })
      const { body: renamed } = await make({ title: 'A' })
      expect(renamed).toMatchObject({ title: 'Other', slug: 'other' })
    })

    test('as a whole document, of which only the differences are stored', async () => {
      probes.change = ({ after }) => ({ ...after, rank: 7 })
      const { body: post } = await make({ locked: null })
      expect(post).toMatchObject({ title: 'A', rank: 7 })
      await send('ada', 'PUT', `/api/posts/${post.id}`, { secret: 's', locked: 'l' })
      probes.change = ({ after }) => ({ ...after, rank: 8 })
      expect(await send('ann', 'PUT', `/api/posts/${post.id}`, { title: 'B' })).toMatchObject({
        status: 200,
        body: { rank: 8 },
      })
    })

    test('that are checked as if the caller had sent them', async () => {
      await make({ title: 'first', code: 'taken' })
      const before = await journal()
      const cases: readonly [object, number, unknown][] = [
        [{ title: null }, 400, { path: '/title', code: 'required' }],
        [{ title: 'x'.repeat(41) }, 400, { path: '/title', code: 'maxLength' }],
        [{ rank: 'x' }, 400, { path: '/rank', code: 'type' }],
        [{ link: NOBODY }, 400, { path: '/link', code: 'reference' }],
        [{ secret: 'x' }, 400, { path: '/secret', code: 'unknown_field' }],
        [{ locked: 'x' }, 403, { path: '/locked', code: 'forbidden' }],
      ]
      for (const [data, status, issue] of cases) {
        probes.change = () => data
        const refused = await make()
        expect(refused.status).toBe(status)
        expect(refused.body.details?.issues).toEqual([expect.objectContaining(issue)])
      }
      for (const data of [{ code: 'taken' }, { slug: 'first' }]) {
        probes.change = () => data
        expect(await make()).toMatchObject({ status: 409, body: { details: { field: Object.keys(data)[0] } } })
      }
      expect(await journal()).toEqual(before)
      probes.change = () => ({ secret: 'x', locked: 'y' })
      expect((await make({}, 'ada')).body).toMatchObject({ secret: 'x', locked: 'y' })
    })

    test('that are not data of the collection, which fails the write and is logged', async () => {
      for (const data of ['A', null, [], { nope: 1 }, { title: Symbol('x') }, { rank: 10n }]) {
        probes.change = () => data
        expect((await make()).status).toBe(500)
        expect(log.take().join('\n')).toMatch(/A hook of posts \(plugin probe\)/)
      }
      expect(await posts()).toEqual([])
    })

    test('that change nothing, so that nothing is stored', async () => {
      const { body: post } = await make()
      probes.change = ({ after }) => after
      const { body: again } = await send('ann', 'PUT', `/api/posts/${post.id}`, { title: 'A' })
      expect(again.updatedAt).toBe(post.updatedAt)
      expect(await journal()).toHaveLength(1)
    })
  })

  describe('rejects', () => {
    test('a create, an update or a delete with its own error', async () => {
      const { body: post } = await make()
      const before = await journal()
      probes.change = ({ action }) => {
        throw new DaybookError('FORBIDDEN', `No ${action} after noon.`)
      }
      const refusals = [
        await make(),
        await send('ann', 'PUT', `/api/posts/${post.id}`, { title: 'B' }),
        await send('ann', 'DELETE', `/api/posts/${post.id}`),
      ]
      expect(refusals.map(({ status, body }) => [status, body.message])).toEqual([
        [403, 'No create after noon.'],
        [403, 'No update after noon.'],
        [403, 'No delete after noon.'],
      ])
      expect(await journal()).toEqual(before)
    })

    test('a write with 500 when it throws, logs the error, and does not affect the next write', async () => {
      probes.change = () => {
        throw Object.assign(new Error('getaddrinfo ENOTFOUND mail'), { code: 'ENOTFOUND' })
      }
      const failed = await make()
      expect(failed).toMatchObject({ status: 500, body: { code: 'INTERNAL_ERROR', details: {} } })
      expect(JSON.stringify(failed.body)).not.toMatch(/probe|ENOTFOUND/)
      expect(log.take().join('\n')).toMatch(/beforeChange of posts \(plugin probe\) failed.*ENOTFOUND/s)
      delete probes.change
      expect((await make()).status).toBe(201)
      expect(await journal()).toHaveLength(1)
    })

    test('a delete with 500 when it returns data', async () => {
      const { body: post } = await make()
      probes.change = ({ before }) => before
      expect((await send('ann', 'DELETE', `/api/posts/${post.id}`)).status).toBe(500)
      expect(log.take().join('\n')).toMatch(/returned data for a delete\. Throw, or return nothing/)
      expect(await posts()).toHaveLength(1)
    })
  })

  describe('in the transaction', () => {
    test('reads its own writes, which are committed with the write', async () => {
      await send('ada', 'POST', '/api/notes', { text: 'old' })
      const seen: unknown[] = []
      probes.change = async ({ content, asSystem }) => {
        const system = asSystem({ reason: 'keeps a trail' })
        const note = await system.create('notes', { text: 'new words' })
        await system.update('notes', note.id, { text: 'newer words' })
        seen.push((await content.list('notes', { limit: 1 })).total)
        seen.push((await content.list('notes', { q: 'newer' })).items.length)
        seen.push((await content.get('notes', note.id))?.text)
      }
      expect((await make()).status).toBe(201)
      expect(seen).toEqual([2, 1, 'newer words'])
      expect(await notes()).toMatchObject([{ text: 'newer words' }, { text: 'old' }])
      expect(await journal()).toEqual([
        { seq: 1, actor: 'ada', action: 'create', collection: 'notes' },
        { seq: 2, actor: 'plugin:probe (keeps a trail)', action: 'create', collection: 'notes' },
        { seq: 3, actor: 'plugin:probe (keeps a trail)', action: 'update', collection: 'notes' },
        { seq: 4, actor: 'ann', action: 'create', collection: 'posts' },
      ])
      expect((await send('', 'GET', '/api/notes?limit=1')).body.total).toBe(2)
      expect((await send('', 'GET', '/api/notes?q=newer')).body.total).toBe(1)
    })

    test('creates entries concurrently, each of which is found by its words', async () => {
      const words = ['amber', 'birch', 'cedar', 'dune']
      probes.change = async ({ asSystem }) => {
        const system = asSystem({ reason: 'keeps a trail' })
        await Promise.all(words.map((text) => system.create('notes', { text })))
      }
      expect((await make()).status).toBe(201)
      for (const text of words) {
        expect((await send('', 'GET', `/api/notes?q=${text}`)).body.items).toMatchObject([{ text }])
      }
    })

    test('has the rights of the caller, and needs a reason to write as the system', async () => {
      probes.change = async ({ content, asSystem }) => {
        await expect(content.create('notes', { text: 'x' })).rejects.toMatchObject({ code: 'FORBIDDEN' })
        for (const reason of ['', '  ', 'two\nlines', 'a\u2028b', 'x'.repeat(201), 7 as never])
          expect(() => asSystem({ reason })).toThrow(/reason of one line/)
      }
      expect((await make()).status).toBe(201)
      expect(await notes()).toEqual([])
    })

    test('has its writes rolled back when the write is rejected later', async () => {
      probes.change = async ({ asSystem }) => {
        await asSystem({ reason: 'trail' }).create('notes', { text: 'lost' })
        return { code: 'taken' }
      }
      expect((await make()).status).toBe(201)
      expect((await make({ title: 'B' })).status).toBe(409)
      expect(await notes()).toHaveLength(1)
      expect((await send('', 'GET', '/api/notes?limit=0')).body.total).toBe(1)
      expect(await journal()).toHaveLength(2)
    })

    test('gets an error at once from another content handle, instead of a deadlock', async () => {
      const calls: readonly (() => Promise<unknown>)[] = [
        () => service.content.as(people.caller('ada')).create('plain', { text: 'x' } as never),
        () => service.content.as(ANONYMOUS).list('plain'),
        () => service.content.as(people.caller('ada')).readGlobal('site'),
      ]
      for (const call of calls) {
        probes.change = call
        expect((await make()).status).toBe(500)
        expect(log.take().join('\n')).toMatch(/used another content handle.*Use event\.content/s)
      }
      probes.change = async () => {
        const response = await service.request('/api/plain', {
          method: 'POST',
          headers: { Authorization: 'Bearer ada', 'Content-Type': 'application/json' },
          body: '{}',
        })
        expect(response.status).toBe(500)
      }
      expect((await make()).status).toBe(201)
      expect((await send('', 'GET', '/api/plain')).body.total).toBe(0)
    })

    test('is isolated from other requests', async () => {
      const begun = Promise.withResolvers<void>()
      const finish = Promise.withResolvers<void>()
      probes.change = async () => {
        begun.resolve()
        await finish.promise
      }
      const writing = make()
      await begun.promise
      expect((await send('', 'GET', '/api/posts')).body.total).toBe(0)
      const waiting = send('ann', 'POST', '/api/plain', { text: 'x' })
      finish.resolve()
      expect([(await writing).status, (await waiting).status]).toEqual([201, 201])
    })

    test('has content handles that end with the hook', async () => {
      let callLate: (() => Promise<unknown>) | undefined
      probes.change = ({ content }) => {
        callLate = () => content.create('plain', { text: 'late' })
      }
      await make()
      await expect(callLate?.()).rejects.toThrow(/is over/)
      const later = Promise.withResolvers<unknown>()
      probes.change = ({ content }) => {
        const createLate = (): Promise<unknown> =>
          content.create('plain', { text: 'late' }).catch((error: Error) => error.message)
        setTimeout(() => later.resolve(createLate()), 50)
      }
      await make({ title: 'B' })
      expect(await later.promise).toMatch(/is over/)
      expect((await send('', 'GET', '/api/plain')).body.total).toBe(0)
    })

    test('has to await its own writes', async () => {
      const isInside = Promise.withResolvers<void>()
      probes.changeNote = () => {
        isInside.resolve()
        return new Promise((resolve) => setTimeout(resolve, 200))
      }
      probes.change = async ({ asSystem }) => {
        asSystem({ reason: 'trail' })
          .create('notes', { text: 'not awaited' })
          .catch(() => {})
        await isInside.promise
      }
      expect((await make()).status).toBe(500)
      expect(log.take().join('\n')).toMatch(/Await each call of event\.content/)
      expect(await journal()).toEqual([])
      delete probes.change
      expect((await make()).status).toBe(201)
      expect(await notes()).toEqual([])
    })

    test('cannot continue after its own write failed half-way', async () => {
      probes.change = async ({ asSystem }) => {
        const system = asSystem({ reason: 'trail' })
        await system.create('notes', { text: 'one', code: 'same' })
        await system.create('notes', { text: 'two', code: 'same' }).catch(() => {})
      }
      expect(await make()).toMatchObject({ status: 409, body: { details: { field: 'code' } } })
      expect(await journal()).toEqual([])
      probes.change = async ({ content }) => {
        await expect(content.create('plain', { nope: 1 })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' })
        await content.create('plain', { text: 'fine' })
      }
      expect((await make()).status).toBe(201)
    })

    test('may not write the document that is being written', async () => {
      const { body: post } = await make()
      probes.change = async ({ action, content, id, after }) => {
        if (after?.title === 'inner') return
        if (action === 'update') await content.update('posts', id, { title: 'inner' })
        else await content.delete('posts', id).catch(() => {})
      }
      expect((await send('ann', 'PUT', `/api/posts/${post.id}`, { rank: 1 })).status).toBe(500)
      expect(log.take().join('\n')).toMatch(/wrote the document that is being written\. Return the change instead/)
      expect(await posts()).toMatchObject([{ title: 'A', rank: null }])
    })

    test('can delete the target of a reference, which rejects the write', async () => {
      const { body: target } = await make({ title: 'target' })
      probes.change = async ({ action, content }) => {
        if (action === 'create') await content.delete('posts', target.id)
      }
      expect(await make({ link: target.id })).toMatchObject({
        status: 400,
        body: { details: { issues: [{ path: '/link', code: 'reference' }] } },
      })
      expect(await posts()).toMatchObject([{ title: 'target' }])
    })

    test('runs the hooks of documents that it writes, up to a depth of 8', async () => {
      probes.change = async ({ asSystem }) => {
        await asSystem({ reason: 'trail' }).create('notes', { text: 'trail' })
      }
      probes.changeNote = () => ({ text: 'by its own hook' })
      expect((await make()).status).toBe(201)
      expect(await notes()).toMatchObject([{ text: 'by its own hook' }])
      probes.change = async ({ content, after }) => {
        await content.create('posts', { title: `${after?.title}+` })
      }
      expect((await make()).status).toBe(500)
      expect(log.take().join('\n')).toMatch(/8 levels deep/)
      expect(await posts()).toHaveLength(1)
    })
  })

  describe('affects only its own write', () => {
    test('when it hangs: 503, a rollback, and other writes succeed', async () => {
      const late = Promise.withResolvers<unknown>()
      probes.change = async ({ asSystem, after }) => {
        if (after?.title !== 'hangs') return
        const system = asSystem({ reason: 'trail' })
        await system.create('notes', { text: 'lost' })
        await new Promise((resolve) => setTimeout(resolve, 1600))
        late.resolve(system.create('notes', { text: 'too late' }).catch((error: Error) => error.message))
      }
      const hanging = make({ title: 'hangs' })
      const otherWrites = [
        make({ title: 'B' }),
        send('ann', 'POST', '/api/plain', { text: 'x' }),
        send('ann', 'PUT', '/api/globals/site', { name: 'N' }),
      ]
      expect(await hanging).toMatchObject({ status: 503, body: { code: 'SERVICE_UNAVAILABLE' } })
      expect((await Promise.all(otherWrites)).map(({ status }) => status)).toEqual([201, 201, 200])
      expect(await late.promise).toMatch(/is over/)
      expect(log.take().join('\n')).toMatch(/beforeChange of posts \(plugin probe\) took longer than 1500 ms/)
      expect(await posts()).toMatchObject([{ title: 'B' }])
      expect(await notes()).toEqual([])
    })

    test('when it fails while other writes are in progress', async () => {
      probes.change = async ({ asSystem, after }) => {
        const system = asSystem({ reason: 'trail' })
        await system.create('notes', { text: String(after?.title) })
        // The rollback must not undo concurrent writes.
        await system.list('plain', { limit: 1 })
        if (Number(after?.rank) % 2 === 1) throw new Error('odd')
      }
      const responses = await Promise.all(
        Array.from({ length: 20 }, (_, rank) =>
          rank % 4 === 0 ? send('ann', 'POST', '/api/plain', { text: 'x' }) : make({ title: `P${rank}`, rank }),
        ),
      )
      const expected = Array.from({ length: 20 }, (_, rank) => (rank % 4 === 0 || rank % 2 === 0 ? 201 : 500))
      expect(responses.map(({ status }) => status)).toEqual(expected)
      for (const [path, total] of [
        ['posts', 5],
        ['notes', 5],
        ['plain', 5],
      ] as const) {
        expect((await send('', 'GET', `/api/${path}?limit=0`)).body.total).toBe(total)
        expect(await service.rows(`SELECT count(*) AS n FROM "${path}"`)).toEqual([{ n: total }])
      }
      expect(await journal()).toHaveLength(15)
    })

    test('and its batch, whose error names the operation', async () => {
      probes.change = ({ after }) => {
        if (after?.title === 'C')
          throw new DaybookError('VALIDATION_ERROR', undefined, {
            issues: [{ path: '/title', code: 'odd', message: 'is odd' }],
          })
      }
      const operations = ['A', 'B', 'C'].map((title) => ({ op: 'create', collection: 'posts', data: { title } }))
      expect(await send('ann', 'POST', '/api/cms/batch', { operations })).toMatchObject({
        status: 400,
        body: { details: { operation: 2, issues: [{ path: '/operations/2/data/title', code: 'odd' }] } },
      })
      expect(await journal()).toEqual([])
    })

    test('or its batch, whose hooks share one timeout', async () => {
      probes.change = () => new Promise((resolve) => setTimeout(resolve, 600))
      const operations = ['A', 'B', 'C'].map((title) => ({ op: 'create', collection: 'posts', data: { title } }))
      expect(await send('ann', 'POST', '/api/cms/batch', { operations })).toMatchObject({
        status: 503,
        body: { details: { operation: 2 } },
      })
      expect(await journal()).toEqual([])
    })
  })
})
