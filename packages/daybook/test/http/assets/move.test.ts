import { defineConfig } from 'daybook'
import { serveUploads } from 'daybook/plugins'
import { describe, expect, test } from 'vitest'
import { runPolicyScenarios, type Step } from '../../support/scenarios/scenario.ts'
import { batch, faults, get, patch, put, uploadFile } from '../../support/scenarios/steps.ts'
import { POLICY_STORES } from '../../support/stores/stores.ts'
import { upload } from '../../support/uploads.ts'

const config = defineConfig({ collections: {} })
const served = defineConfig({ ...config, plugins: [serveUploads()] })

/** A file at the top and one in a folder. The id of the latter is kept as `two`. */
const TWO: readonly Step[] = [
  uploadFile('one', { filename: 'one.txt' }, { body: { directory: '' }, keep: { one: '/id' } }),
  uploadFile(
    'two',
    { filename: 'two.txt', directory: 'notes/2026' },
    { body: { directory: 'notes/2026', path: 'notes/2026/two.txt' }, keep: { two: '/id', tag: 'ETag' } },
  ),
]

const ADDRESS = { path: 'notes/2026/two.txt', url: '/uploads/notes/2026/two.txt' }

const many = (where: string, json: object, extra: object): Step => ({
  method: 'PATCH',
  path: `/api/assets?${where}`,
  auth: true,
  json,
  status: 200,
  headers: { 'Content-Type': 'application/merge-patch+json' },
  ...extra,
})

runPolicyScenarios('files in folders', [
  {
    name: 'move without a change of their URL',
    config,
    steps: [
      ...TWO,
      put('/api/assets/{two}', { directory: 'archive' }, { body: { directory: 'archive', ...ADDRESS } }),
      get('/api/assets?where[directory][eq]=archive', { body: { total: 1, items: [{ id: '{two}' }] } }),
      get('/api/assets?where[directory][startsWith]=notes', { body: { total: 0 } }),
      patch('/api/assets/{two}', { directory: '' }, { body: { directory: '', ...ADDRESS } }),
      patch('/api/assets/{two}', { directory: null }, { body: { directory: '' } }),
      get('/api/assets?where[directory][eq]=', { body: { total: 2 } }),
      get('/api/assets?sort=directory,filename&select=directory', { body: { items: [{ directory: '' }, {}] } }),
    ],
  },
  {
    name: 'move only to directories that uploads accept',
    config,
    steps: [
      ...TWO,
      ...['../x', '/x', 'x/', 'a//b', '.git', 'a\\b', 'ä', 'a b', 'a/'.repeat(8).concat('a'), 'a'.repeat(201)].map(
        (directory) => put('/api/assets/{one}', { directory }, faults('/directory')),
      ),
      put('/api/assets/{one}', { directory: 7 }, faults('/directory')),
      put('/api/assets/{one}', { directory: 'a/b/c/d/e/f/g/h' }, { body: { directory: 'a/b/c/d/e/f/g/h' } }),
      { method: 'PUT', path: '/api/assets/{one}', json: { directory: 'x' }, status: 401 },
    ],
  },
  {
    name: 'move with preconditions, and not in a dry run',
    config,
    steps: [
      ...TWO,
      put('/api/assets/{two}?dryRun=true', { directory: 'x' }, { body: { directory: 'x' } }),
      get('/api/assets/{two}', { body: { directory: 'notes/2026' }, keep: { read: 'ETag' } }),
      get('/api/assets/{two}', { headers: { 'If-None-Match': '{read}' }, status: 304 }),
      put('/api/assets/{two}', { directory: 'x' }, { headers: { 'If-Match': '{tag}' } }),
      put('/api/assets/{two}', { directory: 'y' }, { headers: { 'If-Match': '{tag}' }, status: 412 }),
    ],
  },
  {
    name: 'move in bulk and in a batch',
    config,
    steps: [
      ...TWO,
      many(
        'where[id][in]={one},{two}',
        { directory: 'all' },
        { exactly: { collection: 'assets', matched: 2, changed: 2 } },
      ),
      many('where[id][in]={one},{two}', { directory: '..' }, { status: 400 }),
      get('/api/assets?where[directory][eq]=all', { body: { total: 2 } }),
      batch([{ op: 'update', collection: 'assets', id: '{one}', data: { directory: 'one' } }]),
      get('/api/assets/{one}', { body: { directory: 'one', path: 'one.txt' } }),
    ],
  },
  {
    name: 'keep their URL, and move beside a file of the same name',
    config,
    steps: [
      ...TWO,
      put('/api/assets/{two}', { directory: '' }),
      uploadFile('other', { filename: 'two.txt', directory: 'notes/2026' }, { status: 409 }),
      uploadFile('other', { filename: 'two.txt' }, { body: { path: 'two.txt', directory: '' } }),
    ],
  },
  {
    name: 'move back by a restore, and by undoing the move',
    config,
    steps: [
      ...TWO,
      put('/api/assets/{two}', { directory: 'archive' }, { responseHeaders: { 'Daybook-Seq': '3' } }),
      get('/api/assets/{two}/versions/3?against=2', {
        auth: true,
        body: { patch: [{ op: 'replace', path: '/directory', value: 'archive' }, { path: '/updatedAt' }] },
      }),
      {
        method: 'POST',
        path: '/api/assets/{two}/restore',
        auth: true,
        json: { revision: 2 },
        status: 200,
        body: { directory: 'notes/2026', ...ADDRESS },
      },
      put('/api/assets/{two}', { directory: 'elsewhere' }, { responseHeaders: { 'Daybook-Seq': '5' } }),
      {
        method: 'POST',
        path: '/api/cms/undo',
        auth: true,
        json: { from: 5 },
        status: 200,
      },
      get('/api/assets/{two}', { body: { directory: 'notes/2026', ...ADDRESS } }),
    ],
  },
])

describe.each(POLICY_STORES)('files in folders on $name', (store) => {
  test('are served at their URL before and after they move', async () => {
    await using service = await store.open(served)
    const { id } = await upload(service, { content: 'two', texts: { directory: 'notes', filename: 'two.txt' } })
    const url = '/uploads/notes/two.txt'
    const before = await service.request(url)
    expect(await before.text()).toBe('two')
    await service.content.update('assets', id, { directory: 'archive' })
    const after = await service.request(url)
    expect(await after.text()).toBe('two')
    expect(after.headers.get('etag')).toBe(before.headers.get('etag'))
  })
})
