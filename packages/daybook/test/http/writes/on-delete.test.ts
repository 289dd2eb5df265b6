import { ANONYMOUS, defineCollection, defineConfig, defineGlobal, f } from 'daybook'
import type { TestService } from 'daybook/testing'
import { describe, expect, test } from 'vitest'
import { parseBody, sendRequest } from '../../support/scenarios/client.ts'
import { expectQuietProcess } from '../../support/scenarios/sane.ts'
import { runScenarios, type Step } from '../../support/scenarios/scenario.ts'
import { batch, create, get, put, remove } from '../../support/scenarios/steps.ts'
import { STORES } from '../../support/stores/stores.ts'

const pages = defineCollection({
  fields: {
    slug: f.slug(),
    status: f.status(),
    title: f.text(),
    body: f.markdown(),
    one: f.relation('targets'),
    many: f.relation('targets', { many: true }),
    group: f.group({ one: f.relation('targets'), many: f.relation('targets', { many: true }), note: f.text() }),
    rows: f.list(f.group({ who: f.relation('targets'), text: f.markdown() })),
    plain: f.list(f.relation('targets')),
    parts: f.blocks({ card: { who: f.relation('targets'), label: f.text() }, note: { text: f.markdown() } }),
    parent: f.relation('pages'),
  },
})

/** Relations that restrict deletions, by default and explicitly. */
const config = defineConfig({
  collections: {
    targets: defineCollection({ fields: { slug: f.slug(), self: f.relation('targets'), needed: f.text() } }),
    pages,
    tickets: defineCollection({
      fields: {
        slug: f.slug(),
        status: f.status(),
        owner: f.relation('targets', { required: true }),
        watchers: f.relation('targets', { many: true, onDelete: 'restrict' }),
        group: f.group({ one: f.relation('targets', { onDelete: 'restrict' }) }),
        rows: f.list(f.group({ who: f.relation('targets', { onDelete: 'restrict' }) })),
        parts: f.blocks({ card: { who: f.relation('targets', { onDelete: 'restrict' }) } }),
        loose: f.relation('targets', { required: true, onDelete: 'unset' }),
        twin: f.relation('tickets', { onDelete: 'restrict' }),
      },
    }),
  },
  globals: {
    front: defineGlobal({
      fields: { name: f.text(), one: f.relation('targets'), shelf: f.list(f.relation('targets')) },
    }),
    lock: defineGlobal({ fields: { one: f.relation('targets', { onDelete: 'restrict' }) } }),
  },
})

const target = (slug: string): Step => create('targets', { slug }, { keep: { [slug]: '/id', [`${slug}Tag`]: 'ETag' } })

runScenarios('deleting an entry with references to it', [
  {
    name: 'removes the references in single and many relations, groups, lists and blocks, and nothing else',
    config,
    steps: [
      target('x'),
      target('y'),
      create(
        'pages',
        {
          slug: 'p',
          title: 'T',
          body: '*b*',
          one: '{x}',
          many: ['{y}', '{x}'],
          group: { one: '{x}', many: ['{x}', '{y}'], note: 'n' },
          rows: [{ who: '{x}', text: '*r*' }, { who: '{y}' }],
          plain: ['{y}', '{x}', '{y}'],
          parts: [
            { _type: 'card', who: '{x}', label: 'l' },
            { _type: 'note', text: '*n*' },
            { _type: 'card', who: '{y}' },
          ],
        },
        { keep: { id: '/id', tag: 'ETag', at: '/createdAt' } },
      ),
      create('pages', { slug: 'q', one: '{y}' }, { keep: { otherTag: 'ETag' } }),
      remove('/api/targets/{x}', { responseHeaders: { 'Daybook-Seq': '6' } }),
      get('/api/pages/p', {
        headers: { 'If-None-Match': '{tag}' },
        body: {
          title: 'T',
          createdAt: '{at}',
          bodyHtml: '<p><em>b</em></p>',
          one: null,
          many: ['{y}'],
          group: { one: null, many: ['{y}'], note: 'n' },
          rows: [
            { who: null, text: '*r*', textHtml: '<p><em>r</em></p>' },
            { who: '{y}', text: null, textHtml: null },
          ],
          plain: ['{y}', '{y}'],
          parts: [
            { _type: 'card', who: null, label: 'l' },
            { _type: 'note', text: '*n*', textHtml: '<p><em>n</em></p>' },
            { _type: 'card', who: '{y}', label: null },
          ],
        },
        lacks: ['{x}'],
      }),
      get('/api/pages/q', { auth: true, responseHeaders: { ETag: '{otherTag}' } }),
      get('/api/pages?where[one][exists]=true', { body: { total: 1, items: [{ slug: 'q' }] } }),
      get('/api/pages?where[many][in]={x}', { body: { total: 0 } }),
      put('/api/pages/{id}', { title: 'U' }),
    ],
  },
  {
    name: 'leaves documents that can be written back as they were read',
    config,
    steps: [
      target('x'),
      target('y'),
      create('pages', { slug: 'p', plain: ['{x}', '{y}'], rows: [{ who: '{x}' }] }, { keep: { id: '/id' } }),
      remove('/api/targets/{x}'),
      get('/api/pages/p', { auth: true, body: { plain: ['{y}'] }, keep: { tag: 'ETag' } }),
      put('/api/pages/{id}', { plain: ['{y}'], rows: [{ who: null }] }, { responseHeaders: { ETag: '{tag}' } }),
    ],
  },
  {
    name: 'changes globals and their tags',
    config,
    steps: [
      target('x'),
      target('y'),
      put('/api/globals/front', { name: 'n', one: '{x}', shelf: ['{y}', '{x}'] }, { keep: { tag: 'ETag' } }),
      remove('/api/targets/{x}'),
      get('/api/globals/front', {
        headers: { 'If-None-Match': '{tag}' },
        body: { name: 'n', one: null, shelf: ['{y}'] },
      }),
      put('/api/globals/front', { name: 'm' }, { headers: { 'If-Match': '{tag}' }, status: 412 }),
    ],
  },
  {
    name: 'changes unpublished entries, but no public tag',
    config,
    steps: [
      target('x'),
      create('pages', { slug: 'p', status: 'draft', one: '{x}' }, { keep: { tag: 'ETag' } }),
      get('/api/pages', { keep: { open: 'ETag' } }),
      get('/api/pages', { auth: true, keep: { all: 'ETag' } }),
      remove('/api/targets/{x}'),
      get('/api/pages', { headers: { 'If-None-Match': '{open}' }, status: 304 }),
      get('/api/pages', { auth: true, headers: { 'If-None-Match': '{all}' }, body: { items: [{ one: null }] } }),
    ],
  },
  {
    name: 'changes the tags and the results of lists that contain the changed entries',
    config,
    steps: [
      target('x'),
      create('pages', { slug: 'p', many: ['{x}'] }),
      get('/api/pages?where[many][exists]=true', { body: { total: 1 }, keep: { tag: 'ETag' } }),
      remove('/api/targets/{x}'),
      get('/api/pages?where[many][exists]=true', { headers: { 'If-None-Match': '{tag}' }, body: { total: 0 } }),
    ],
  },
  {
    name: 'changes all of many documents',
    config,
    steps: [
      target('x'),
      batch(
        Array.from({ length: 450 }, (_, index) => ({
          op: 'create',
          collection: 'pages',
          data: { slug: `p${index}`, one: '{x}', many: ['{x}'] },
        })),
      ),
      get('/api/pages?limit=0&where[one][exists]=true', { body: { total: 450 } }),
      remove('/api/targets/{x}', { responseHeaders: { 'Daybook-Seq': String(1 + 450 + 450 + 1) } }),
      get('/api/pages?limit=0&where[one][exists]=true', { body: { total: 0 } }),
      get('/api/pages?limit=0&where[many][exists]=true', { body: { total: 0 } }),
    ],
  },
  {
    name: 'ignores references of the entry to itself',
    config,
    steps: [
      target('x'),
      put('/api/targets/{x}', { self: '{x}' }),
      remove('/api/targets/{x}'),
      target('o'),
      create('tickets', { slug: 't', owner: '{o}', loose: '{o}' }, { keep: { t: '/id' } }),
      put('/api/tickets/{t}', { twin: '{t}' }),
      remove('/api/tickets/{t}'),
      create('pages', { slug: 'p' }, { keep: { p: '/id' } }),
      put('/api/pages/{p}', { parent: '{p}' }),
      remove('/api/pages/{p}'),
      get('/api/pages?limit=0', { body: { total: 0 } }),
    ],
  },
])

/** Expects a conflict that names these references. */
const restricted = (path: string, references: readonly object[]): Step =>
  remove(path, { status: 409, body: { code: 'CONFLICT', details: { references } } })

runScenarios('deleting an entry with restricting references', [
  {
    name: 'is rejected with these references, by default of a required relation',
    config,
    steps: [
      target('x'),
      target('y'),
      create('tickets', { slug: 't', owner: '{x}', loose: '{y}' }, { keep: { t: '/id' } }),
      restricted('/api/targets/{x}', [{ collection: 'tickets', id: '{t}', field: 'owner' }]),
      put('/api/tickets/{t}', { owner: '{y}' }),
      remove('/api/targets/{x}'),
      remove('/api/tickets/{t}'),
      remove('/api/targets/{y}'),
    ],
  },
  {
    name: 'is rejected for references in many relations, groups, lists, blocks and globals',
    config,
    steps: [
      target('o'),
      ...['m', 'g', 'r', 'b', 'l'].map(target),
      create(
        'tickets',
        {
          slug: 't',
          status: 'draft',
          owner: '{o}',
          loose: '{o}',
          watchers: ['{o}', '{m}'],
          group: { one: '{g}' },
          rows: [{}, { who: '{r}' }],
          parts: [{ _type: 'card', who: '{b}' }],
        },
        { keep: { t: '/id', tag: 'ETag' } },
      ),
      put('/api/globals/lock', { one: '{l}' }),
      restricted('/api/targets/{m}', [{ collection: 'tickets', id: '{t}', field: 'watchers' }]),
      restricted('/api/targets/{g}', [{ field: 'group.one' }]),
      restricted('/api/targets/{r}', [{ field: 'rows.who' }]),
      restricted('/api/targets/{b}', [{ field: 'parts.who' }]),
      restricted('/api/targets/{l}', [{ collection: 'globals', id: 'lock', field: 'one' }]),
      restricted('/api/targets/{o}', [{ field: 'owner' }, { field: 'watchers' }]),
      get('/api/tickets/{t}', { auth: true, responseHeaders: { ETag: '{tag}' } }),
    ],
  },
  {
    name: 'is rejected before any reference is removed',
    config,
    steps: [
      target('x'),
      create('pages', { slug: 'p', one: '{x}' }, { keep: { tag: 'ETag' } }),
      create('tickets', { slug: 't', owner: '{x}', loose: '{x}' }),
      restricted('/api/targets/{x}', [{ collection: 'tickets', field: 'owner' }]),
      get('/api/pages/p', { auth: true, responseHeaders: { ETag: '{tag}' }, body: { one: '{x}' } }),
    ],
  },
  {
    name: 'removes the reference if a required relation is declared so',
    config,
    steps: [
      target('x'),
      target('y'),
      create('tickets', { slug: 't', owner: '{y}', loose: '{x}' }, { keep: { t: '/id' } }),
      remove('/api/targets/{x}'),
      get('/api/tickets/t', { body: { loose: null, owner: '{y}' } }),
    ],
  },
  {
    name: 'rejects a whole batch, unless the batch has removed the reference',
    config,
    steps: [
      target('x'),
      target('y'),
      create('tickets', { slug: 't', owner: '{x}', loose: '{x}' }, { keep: { t: '/id' } }),
      batch(
        [
          { op: 'create', collection: 'pages', data: { slug: 'p' } },
          { op: 'delete', collection: 'targets', id: '{x}' },
        ],
        {
          status: 409,
          body: { details: { operation: 1, references: [{ collection: 'tickets', field: 'owner' }] } },
        },
      ),
      batch([
        { op: 'update', collection: 'tickets', id: '{t}', data: { owner: '{y}', loose: '{y}' } },
        { op: 'delete', collection: 'targets', id: '{x}' },
      ]),
      batch([
        { op: 'delete', collection: 'tickets', id: '{t}' },
        { op: 'delete', collection: 'targets', id: '{y}' },
      ]),
    ],
  },
  {
    name: 'lists at most 100 references',
    config,
    steps: [
      target('x'),
      target('y'),
      batch(
        Array.from({ length: 120 }, (_, index) => ({
          op: 'create',
          collection: 'tickets',
          data: { slug: `t${index}`, owner: '{x}', loose: '{y}' },
        })),
      ),
      restricted(
        '/api/targets/{x}',
        Array.from({ length: 100 }, () => ({ collection: 'tickets', field: 'owner' })),
      ),
    ],
  },
  {
    name: 'checks preconditions first, like any delete',
    config,
    steps: [
      target('x'),
      create('tickets', { slug: 't', owner: '{x}', loose: '{x}' }),
      remove('/api/targets/{x}', { headers: { 'If-Match': '"stale"' }, status: 412 }),
      remove('/api/targets/{x}', { auth: false, status: 401 }),
      remove('/api/targets/{x}', { headers: { 'If-Match': '{xTag}' }, status: 409 }),
    ],
  },
])

/** Returns the ids of missing entries that documents refer to. */
async function dangling(service: TestService): Promise<readonly string[]> {
  const all = async (path: string): Promise<readonly Record<string, unknown>[]> =>
    parseBody(await sendRequest(service, path, { auth: true })).items as readonly Record<string, unknown>[]
  const there = new Set((await all('/api/targets?limit=100')).map(({ id }) => id))
  const ids = [...(await all('/api/pages?limit=100')), ...(await all('/api/tickets?limit=100'))].flatMap((document) => {
    const { one: single, many, owner, loose } = document as Record<string, string | null>
    return [single, many, owner, loose].flat().filter((id) => typeof id === 'string')
  })
  return ids.filter((id) => !there.has(id))
}

describe.each(STORES)('concurrent deletions and new references on $name', (store) => {
  test('leave no dangling reference', async () => {
    const service = await store.open(config)
    try {
      for (let round = 0; round < 10; round++) {
        const make = async (slug: string): Promise<string> =>
          String(parseBody(await sendRequest(service, '/api/targets', { method: 'POST', json: { slug } })).id)
        const [doomed, safe] = [await make(`d${round}`), await make(`s${round}`)]
        const responses = await Promise.all([
          ...Array.from({ length: 4 }, (_, index) =>
            sendRequest(service, '/api/pages', {
              method: 'POST',
              json: { slug: `p${round}-${index}`, one: doomed, many: [safe, doomed] },
            }),
          ),
          sendRequest(service, `/api/targets/${doomed}`, { method: 'DELETE' }),
          ...Array.from({ length: 4 }, (_, index) =>
            sendRequest(service, '/api/tickets', {
              method: 'POST',
              json: { slug: `t${round}-${index}`, owner: round % 2 ? doomed : safe, loose: doomed },
            }),
          ),
        ])
        for (const { status } of responses) expect([201, 204, 400, 409]).toContain(status)
        expect(await dangling(service)).toEqual([])
      }
      await expectQuietProcess()
    } finally {
      await service.close()
    }
  })
})

describe.each(STORES)('deleting the target of a document of an older config on $name', (store) => {
  const targets = defineCollection({ fields: { name: f.text() } })
  const withExtra = {
    collections: { targets, pages: defineCollection({ fields: { one: f.relation('targets'), extra: f.text() } }) },
  }
  const without = { collections: { targets, pages: defineCollection({ fields: { one: f.relation('targets') } }) } }

  test('keeps values of fields that the config no longer has', async () => {
    await using place = await store.at()
    const { page, gone } = await place.serve(withExtra, async ({ content }) => {
      const target = await content.create('targets', { name: 'x' } as never)
      const entry = await content.create('pages', { one: target.id, extra: 'kept' } as never)
      return { page: String(entry.id), gone: String(target.id) }
    })
    await place.serve(without, async ({ content }) => {
      await content.delete('targets', gone)
      expect(await content.as(ANONYMOUS).get('pages', page)).toMatchObject({ one: null })
    })
    const [row] = await place.rows<{ orphaned: string }>('SELECT orphaned FROM pages')
    expect(JSON.parse(row?.orphaned ?? 'null')).toEqual({ extra: 'kept' })
  })

  test('drops references of fields that the config no longer has', async () => {
    await using place = await store.at()
    const gone = await place.serve(withExtra, async ({ content }) => {
      const target = await content.create('targets', { name: 'x' } as never)
      await content.create('pages', { one: target.id } as never)
      return String(target.id)
    })
    const bare = { collections: { targets, pages: defineCollection({ fields: { extra: f.text() } }) } }
    await place.serve(bare, async ({ content }) => content.delete('targets', gone))
    expect(await place.rows('SELECT * FROM daybook$refs')).toEqual([])
  })
})
