import { defineCollection, defineConfig, defineGlobal, f } from 'daybook'
import { describe, expect, test } from 'vitest'
import { People } from '../support/auth/people.ts'
import { parseBody, sendRequest } from '../support/scenarios/client.ts'
import { POLICY_STORES, type StoredService } from '../support/stores/stores.ts'

const people = new People({ cleo: [], ann: ['editor'] })
const isEditor = (roles: readonly string[] | undefined): boolean => roles?.includes('editor') === true
const config = defineConfig({
  auth: people.adapter,
  collections: {
    posts: defineCollection({
      access: { read: ({ identity }) => isEditor(identity?.roles) || { team: { eq: 'a' } } },
      fields: { title: f.text(), team: f.text() },
    }),
    letters: defineCollection({
      people: { read: ({ identity }) => isEditor(identity?.roles) },
      fields: { title: f.text() },
    }),
  },
  globals: {
    site: defineGlobal({ access: { read: ({ identity }) => isEditor(identity?.roles) }, fields: { name: f.text() } }),
  },
})

type Listed = { readonly items: readonly Readonly<Record<string, unknown>>[]; readonly next: number }

const as = (name: string) => ({ auth: false, headers: { Authorization: `Bearer ${name}` } })
const journal = async (service: StoredService, name: string, query = ''): Promise<Listed> => {
  const response = await sendRequest(service, `/api/cms/journal?${query}`, as(name))
  expect(response.status, response.text).toBe(200)
  return parseBody(response) as unknown as Listed
}
const write = async (service: StoredService, method: string, path: string, name: string, json?: object) => {
  const response = await sendRequest(service, path, { method, json, ...as(name) })
  expect(response.status, response.text).toBeLessThan(300)
  return response.text === '' ? '' : String(parseBody(response).id)
}
const seqs = ({ items }: Listed): readonly unknown[] => items.map(({ seq }) => seq)

describe.each(POLICY_STORES)('GET /api/cms/journal on $name', (store) => {
  async function filled(): Promise<StoredService> {
    const service = (await store.open(config)) as unknown as StoredService
    const shown = await write(service, 'POST', '/api/posts', 'ann', { title: 'Shown', team: 'a' })
    const hidden = await write(service, 'POST', '/api/posts', 'ann', { title: 'Hidden', team: 'b' })
    await write(service, 'POST', '/api/letters', 'cleo', { title: 'Letter' })
    await write(service, 'PUT', '/api/globals/site', 'ann', { name: 'Site' })
    await write(service, 'DELETE', `/api/posts/${shown}`, 'ann')
    await write(service, 'DELETE', `/api/posts/${hidden}`, 'ann')
    return service
  }

  test('lists changes and their actors for documents that the caller may read, or could read before they were deleted', async () => {
    await using service = await filled()
    const { items, next } = await journal(service, 'ann')
    expect(items.map(({ seq, actor, action, collection }) => [seq, actor, action, collection])).toEqual([
      [1, 'ann', 'create', 'posts'],
      [2, 'ann', 'create', 'posts'],
      [3, 'cleo', 'create', 'letters'],
      [4, 'ann', 'create', 'globals'],
      [5, 'ann', 'delete', 'posts'],
      [6, 'ann', 'delete', 'posts'],
    ])
    expect(next).toBe(6)
    const shown = await journal(service, 'cleo')
    expect(seqs(shown)).toEqual([1, 3, 5])
    expect(shown.items[1]).not.toHaveProperty('actor')
    expect(shown.items[0]).toMatchObject({ actor: 'ann', at: expect.any(String), id: expect.any(String) })
  })

  test('filters and pages', async () => {
    await using service = await filled()
    expect(seqs(await journal(service, 'ann', 'actor=cleo'))).toEqual([3])
    expect(seqs(await journal(service, 'ann', 'collections=letters,globals'))).toEqual([3, 4])
    const page = await journal(service, 'ann', 'limit=2&since=1')
    expect([seqs(page), page.next]).toEqual([[2, 3], 3])
    expect(await journal(service, 'ann', 'since=6')).toEqual({ items: [], next: 6 })
    // A caller who may not see actors cannot filter by them.
    expect(seqs(await journal(service, 'cleo', 'actor=cleo'))).toEqual([])
    const rejected = await sendRequest(service, '/api/cms/journal?actor=cleo&collections=letters', as('cleo'))
    expect(rejected.status).toBe(400)
    expect((await sendRequest(service, '/api/cms/journal?collections=globals', as('cleo'))).status).toBe(400)
    expect((await sendRequest(service, '/api/cms/journal')).status).toBe(401)
  })

  test('lists backwards, and filters by time and action', async () => {
    await using service = await filled()
    const newest = await journal(service, 'ann', 'before=99&limit=2')
    expect([seqs(newest), newest.next]).toEqual([[6, 5], 5])
    const older = await journal(service, 'ann', `before=${newest.next}&limit=4`)
    expect([seqs(older), older.next]).toEqual([[4, 3, 2, 1], 1])
    expect(await journal(service, 'ann', 'before=1')).toEqual({ items: [], next: 1 })
    expect(seqs(await journal(service, 'ann', 'before=99&actions=delete'))).toEqual([6, 5])
    const { items } = await journal(service, 'ann')
    const at = encodeURIComponent(String(items[3]?.at))
    const since = items.filter((item) => String(item.at) >= String(items[3]?.at)).map(({ seq }) => seq)
    expect(seqs(await journal(service, 'ann', `from=${at}`))).toEqual(since)
    expect(seqs(await journal(service, 'ann', `until=${at}`))).toEqual(
      seqs({ items, next: 0 }).slice(0, 6 - since.length),
    )
    for (const query of ['before=3&since=1', 'from=yesterday'])
      expect((await sendRequest(service, `/api/cms/journal?${query}`, as('ann'))).status).toBe(400)
  })
})
