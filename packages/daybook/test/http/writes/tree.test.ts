import { beforeEach, describe, expect, test } from 'vitest'
import { parseBody, type RequestOptions, sendRequest } from '../../support/scenarios/client.ts'
import { create } from '../../support/stores/place.ts'
import { STORES, type StoredService } from '../../support/stores/stores.ts'
import { config } from './order-config.ts'

describe.each(STORES)('a tree on $name', (store) => {
  let service: StoredService
  beforeEach(async () => {
    service = await store.open(config)
    return () => service.close()
  })

  const send = (path: string, options: RequestOptions = {}) => sendRequest(service, path, options)
  const post = (path: string, json: object) => send(path, { method: 'POST', json })
  const put = (path: string, json: object) => send(path, { method: 'PUT', json })
  const names = async (path: string): Promise<string> =>
    (parseBody(await send(path, { auth: true })).items as readonly { name: string }[]).map(({ name }) => name).join('')

  /** Creates entries; a name is the path of the entry, such as `ab` for `b` below `a`. */
  async function make(...paths: readonly string[]): Promise<Record<string, string>> {
    const ids: Record<string, string> = {}
    for (const path of paths) {
      const parent = ids[path.slice(0, -1)] ?? null
      ids[path] = String((await create(service, 'pages', { name: path.slice(-1), parent })).id)
    }
    return ids
  }

  const roots = '/api/pages?where[parent][exists]=false'
  const below = (id: string | undefined): string => `/api/pages?where[parent][eq]=${id}`
  const hasCycle = { details: { issues: [{ code: 'cycle', path: '/parent' }] } }

  test('lists its roots and the children of an entry, includes parents, and moves an entry with its subtree', async () => {
    const { a, ab, abc, ad, e } = await make('a', 'ab', 'abc', 'ad', 'e')
    expect([await names(roots), await names(below(a)), await names(below(ab))]).toEqual(['ae', 'bd', 'c'])
    const entry = parseBody(await send(`/api/pages/${abc}?include=parent&depth=2`, { auth: true }))
    expect(entry).toMatchObject({ parent: { id: ab, parent: { id: a, parent: null } } })
    await post(`/api/pages/${ad}/move`, { parent: a, before: ab })
    expect(await names(below(a))).toBe('db')
    await post(`/api/pages/${ab}/move`, { parent: null, before: e })
    expect([await names(roots), await names(below(a)), await names(below(ab))]).toEqual(['abe', 'd', 'c'])
    await post(`/api/pages/${e}/move`, { parent: ab })
    expect(await names(below(ab))).toBe('ce')
    expect(await names('/api/pages?where[parent.name][eq]=b')).toBe('ce')
  })

  test('rejects an entry below itself: by an update, a move, a draft, a publication, a bulk write and a batch', async () => {
    const { a, ab, abc, d } = await make('a', 'ab', 'abc', 'd')
    for (const parent of [a, ab, abc]) {
      const refusals = [
        await put(`/api/pages/${a}`, { parent }),
        await put(`/api/pages/${a}?draft=true`, { parent }),
        await post(`/api/pages/${a}/move`, { parent }),
        await post(`/api/pages/${a}/move?dryRun=true`, { parent, position: 'first' }),
      ]
      expect(refusals.map(({ status }) => status)).toEqual([400, 400, 400, 400])
      for (const refusal of refusals) expect(parseBody(refusal)).toMatchObject(hasCycle)
    }
    const bulk = await send(`/api/pages?where[name][in]=a,d`, { method: 'PATCH', json: { parent: d } })
    expect(bulk.status).toBe(400)
    const operations = [
      { op: 'update', collection: 'pages', id: a, data: { parent: d } },
      { op: 'update', collection: 'pages', id: d, data: { parent: abc } },
    ]
    expect((await post('/api/cms/batch', { operations })).status).toBe(400)
    expect(await names(roots)).toBe('ad')
    // A draft is valid when it is saved, but not any more when it is published.
    expect((await put(`/api/pages/${a}?draft=true`, { parent: d })).status).toBe(200)
    expect((await put(`/api/pages/${d}`, { parent: ab })).status).toBe(200)
    const publication = await post(`/api/pages/${a}/publish`, {})
    expect([publication.status, parseBody(publication)]).toMatchObject([400, hasCycle])
  })

  test('of two moves that only together make a cycle, one is rejected', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { a, b } = await make('a', 'b')
      const responses = await Promise.all([
        put(`/api/pages/${a}`, { parent: b }),
        post(`/api/pages/${b}/move`, { parent: a }),
      ])
      expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 400])
    }
  })

  test('has at most 32 levels, however a subtree moves', async () => {
    const letters = 'abcdefghijklmnopqrstuvwxyzABCDEF'
    const chain = await make(...Array.from(letters, (_, index) => letters.slice(0, index + 1)))
    const tooDeep = await post('/api/pages', { name: 'x', parent: chain[letters] })
    expect(parseBody(tooDeep)).toMatchObject({ details: { issues: [{ code: 'depth', params: { limit: 32 } }] } })
    const { a, ab } = chain
    const { z, zy } = await make('z', 'zy')
    expect((await post(`/api/pages/${ab}/move`, { parent: z })).status).toBe(200)
    expect((await post(`/api/pages/${ab}/move`, { parent: zy })).status).toBe(400)
    expect((await put(`/api/pages/${z}`, { parent: a })).status).toBe(400)
  })

  test('makes children of a deleted parent roots, or rejects its deletion; both are undone', async () => {
    const { a } = await make('a', 'ab', 'ac')
    const deleted = await send(`/api/pages/${a}`, { method: 'DELETE' })
    expect(await names(roots)).toBe('bc')
    const seq = Number(deleted.headers.get('daybook-seq'))
    expect(parseBody(await post('/api/cms/undo', { from: seq - 2, to: seq }))).toMatchObject({ blocked: [] })
    expect([await names(roots), await names(below(a))]).toEqual(['a', 'bc'])
    const top = await create(service, 'topics', { name: 't' })
    await create(service, 'topics', { name: 'u', parent: top.id })
    expect((await send(`/api/topics/${top.id}`, { method: 'DELETE' })).status).toBe(409)
    const include = parseBody(await send(`/api/topics/${top.id}?include=below`))
    expect(include).toMatchObject({ below: { total: 1, items: [{ name: 'u' }] } })
  })
})
