import { f, type Service } from 'daybook'
import { beforeEach, describe, expect, test } from 'vitest'
import { parseBody, type RequestOptions, sendRequest } from '../../support/scenarios/client.ts'
import { create, update } from '../../support/stores/place.ts'
import { STORES, type StoredService } from '../../support/stores/stores.ts'
import { config } from './order-config.ts'

interface Item {
  readonly id: string
  readonly name: string
  readonly rank: string
  readonly parent: string | null
}

describe.each(STORES)('the order by hand on $name', (store) => {
  let service: StoredService
  beforeEach(async () => {
    service = await store.open(config)
    return () => service.close()
  })

  const send = (path: string, options: RequestOptions = {}) => sendRequest(service, path, options)
  const post = (path: string, json: object, headers: Readonly<Record<string, string>> = {}) =>
    send(path, { method: 'POST', json, headers })
  const move = (id: string | undefined, json: object, collection = 'steps') =>
    post(`/api/${collection}/${id}/move`, json)
  const list = async (path: string): Promise<readonly Item[]> =>
    parseBody(await send(path, { auth: true })).items as readonly Item[]
  const names = async (path = '/api/steps'): Promise<string> => (await list(path)).map(({ name }) => name).join('')

  /** Creates entries with these letters as names. */
  async function make(letters: string, collection = 'steps', more: object = {}): Promise<Record<string, string>> {
    const ids: Record<string, string> = {}
    for (const name of letters) ids[name] = String((await create(service, collection, { name, ...more })).id)
    return ids
  }

  test('a new entry comes last, and a list is in this order by default, page by page and in reverse', async () => {
    await make('abcde')
    expect(await names()).toBe('abcde')
    expect(await names('/api/steps?sort=-rank')).toBe('edcba')
    const first = parseBody(await send('/api/steps?limit=2'))
    expect(await names(`/api/steps?limit=2&cursor=${first.nextCursor}`)).toBe('cd')
    expect(await names('/api/steps?sort=-name&limit=1')).toBe('e')
  })

  test('an entry moves before and after another one, and to both ends', async () => {
    const { a, b, d, e } = await make('abcde')
    expect((await move(d, { before: b })).status).toBe(200)
    expect(await names()).toBe('adbce')
    await move(a, { after: e })
    expect(await names()).toBe('dbcea')
    await move(e, { position: 'first' })
    await move(b, { position: 'last' })
    expect(await names()).toBe('edcab')
    await make('f')
    expect(await names()).toBe('edcabf')
  })

  test('a move is one record of the journal, and changes the tag of lists; a move to the present place is none', async () => {
    const { a, b, c } = await make('abc')
    const before = await send('/api/steps')
    const moved = await move(c, { before: a })
    const seq = Number(moved.headers.get('daybook-seq'))
    expect(parseBody(moved)).toMatchObject({ id: c, name: 'c' })
    expect((await send('/api/steps')).headers.get('etag')).not.toBe(before.headers.get('etag'))
    expect((await move(c, { before: a })).headers.get('daybook-seq')).toBe(String(seq))
    expect((await move(c, { position: 'first' })).headers.get('daybook-seq')).toBe(String(seq))
    expect((await move(b, { after: a })).headers.get('daybook-seq')).not.toBe(String(seq + 1))
    expect(await names()).toBe('cab')
  })

  test('a move takes If-Match, runs dry, and is undone', async () => {
    const { a, c } = await make('abc')
    const stale = await post(`/api/steps/${c}/move`, { before: a }, { 'If-Match': '"other"' })
    expect(stale.status).toBe(412)
    const dry = await post(`/api/steps/${c}/move?dryRun=true`, { before: a })
    expect([dry.status, dry.headers.get('daybook-dry-run'), await names()]).toEqual([200, 'true', 'abc'])
    const moved = await move(c, { before: a })
    const from = Number(moved.headers.get('daybook-seq'))
    expect(await names()).toBe('cab')
    expect(parseBody(await post('/api/cms/undo', { from, to: from }))).toMatchObject({ blocked: [] })
    expect(await names()).toBe('abc')
  })

  test.each([
    [{}, 'required', '/position'],
    [{ before: 'x' }, 'format', '/before'],
    [{ position: 'middle' }, 'enum', '/position'],
    [{ position: 'first', after: '01a1f9d5-ddca-7255-9a37-e7bf8ce09df2' }, 'exclusive', '/position'],
    [{ after: '01a1f9d5-ddca-7255-9a37-e7bf8ce09df2' }, 'reference', '/after'],
    [{ parent: null }, 'unknown_field', '/parent'],
    [[], 'type', '/'],
  ])('a move with %j has the issue %s', async (json, code, path) => {
    const { a } = await make('a')
    const response = await move(a, json)
    expect(response.status).toBe(400)
    expect(parseBody(response)).toMatchObject({ details: { issues: [{ code, path }] } })
  })

  test('an entry is not its own neighbour, and a collection without an order has no moves', async () => {
    const { a } = await make('a')
    expect(parseBody(await move(a, { before: a }))).toMatchObject({ details: { issues: [{ code: 'neighbour' }] } })
    const { x } = await make('x', 'shelves')
    expect((await move(x, { position: 'first' }, 'shelves')).status).toBe(404)
  })

  test('a rank in a body is ignored, and an update, a copy and a batch leave the order as it is', async () => {
    const { a, b } = await make('ab')
    const [first] = await list('/api/steps')
    await send(`/api/steps/${b}`, { method: 'PUT', json: { ...first, name: 'c', slug: 'c', rank: 'Zz' } })
    const operations = [{ op: 'update', collection: 'steps', id: a, data: { name: 'x', rank: 'zz' } }]
    expect((await post('/api/cms/batch', { operations })).status).toBe(200)
    expect(await names()).toBe('xc')
  })

  test('a move is public at once, also of an entry with a draft, whose publication leaves it there', async () => {
    const { a, c } = await make('abc', 'pages')
    await send(`/api/pages/${c}?draft=true`, { method: 'PUT', json: { name: 'draft' } })
    await move(c, { before: a }, 'pages')
    expect(await names('/api/pages')).toBe('cab')
    await move(a, { position: 'last' }, 'pages')
    await post(`/api/pages/${c}/publish`, {})
    expect(await names('/api/pages')).toBe('draftba')
  })

  test('a deleted entry returns to its place, and an earlier version leaves the entry where it is', async () => {
    const { b, c } = await make('abc')
    await send(`/api/steps/${b}`, { method: 'DELETE' })
    await post(`/api/steps/${b}/restore`, {})
    expect(await names()).toBe('abc')
    const [created] = parseBody(await send(`/api/steps/${c}/versions`, { auth: true })).items as { revision: number }[]
    await move(c, { position: 'first' })
    await send(`/api/steps/${c}`, { method: 'PUT', json: { name: 'x' } })
    await post(`/api/steps/${c}/restore`, { revision: created?.revision })
    expect(await names()).toBe('cab')
  })

  test('moves to the same place at the same time all succeed, with ranks that all differ', async () => {
    const { a } = await make('a')
    const ids = Object.values(await make('bcdefghijklmnopqrstuvwxyz'))
    const responses = await Promise.all(ids.map((id) => move(id, { after: a })))
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
    const created = await Promise.all(Array.from({ length: 20 }, () => post('/api/steps', { name: 'new' })))
    expect(new Set(created.map(({ status }) => status))).toEqual(new Set([201]))
    const ranks = (await list('/api/steps?limit=100')).map(({ rank }) => rank)
    expect(new Set(ranks).size).toBe(46)
  })

  test('ranks stay short however often entries move to one place', async () => {
    const { a, b, c, d } = await make('abcd')
    for (let count = 0; count < 200; count += 1) {
      await service.content.move('steps', String(count % 2 ? c : b), { after: String(a) })
      await service.content.move('steps', String(count % 2 ? b : d), { after: String(a) })
    }
    const items = await list('/api/steps')
    expect(Math.max(...items.map(({ rank }) => rank.length))).toBeLessThanOrEqual(48)
    expect(items.map(({ name }) => name).join('')).toBe('abcd')
  })
})

describe.each(STORES)('a config that makes a collection orderable on $name', (store) => {
  const fields = { name: f.text({ localized: true }), status: f.status() }
  const locales = { default: 'en', available: ['en', 'de'], fallback: { de: ['en'] } }
  const plain = { collections: { notes: { fields } }, locales }
  const ordered = { collections: { notes: { fields, orderable: true } }, locales }

  test('orders its entries by their creation, keeps the order while it is off, and continues it', async () => {
    await using place = await store.at()
    const names = async (service: Service, locale?: string): Promise<string> => {
      const { items } = await service.content.list('notes', { sort: 'rank', ...(locale ? { locale } : {}) })
      return (items as unknown as readonly { readonly name: unknown }[]).map(({ name }) => name).join('')
    }
    const [a, b] = await place.serve(plain, async (service) => {
      const ids = []
      for (const name of 'abc') ids.push((await create(service, 'notes', { name })).id)
      await service.content.saveDraft('notes', String(ids[0]), { name: 'x' } as never)
      return ids
    })
    await place.serve(ordered, async (service) => {
      expect([await names(service), await names(service, 'de')]).toEqual(['abc', 'abc'])
      await service.content.move('notes', String(a), { position: 'last' })
      await service.content.publish('notes', String(a))
      expect(await names(service)).toBe('bcx')
    })
    await place.serve(plain, async (service) => {
      await create(service, 'notes', { name: 'd' })
      await update(service, 'notes', String(b), { name: 'e' })
    })
    await place.serve(ordered, async (service) => {
      expect([await names(service), await names(service, 'de')]).toEqual(['ecxd', 'ecxd'])
      await create(service, 'notes', { name: 'f' })
      expect(await names(service)).toBe('ecxdf')
    })
  })
})
