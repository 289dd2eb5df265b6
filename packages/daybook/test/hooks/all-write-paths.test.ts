import { ANONYMOUS, type DaybookConfig, DaybookError, definePlugin, f } from 'daybook'
import { describe, expect, it, test } from 'vitest'
import { daybook, folderOf } from '../cli/cli.ts'
import { POLICY_STORES } from '../support/stores/stores.ts'
import { clearProbes, createSender, people, probedConfig, probes } from './probed-config.ts'

describe.each(POLICY_STORES)('hooks on $name run for every way to write', (store) => {
  test('HTTP with and without an Idempotency-Key, in-process calls, batches and the seed', async () => {
    const seed: DaybookConfig['seed'] = async (content) => {
      await content.create('posts', { title: 'seed' })
    }
    probes.validate = ({ data }) => ({ ...data, title: `${data.title} v` })
    probes.change = ({ after, action }) => (action === 'delete' ? undefined : { title: `${after?.title} c` })
    await using service = await store.open({ ...probedConfig, seed })
    const send = createSender(service)
    await send('ann', 'POST', '/api/posts', { title: 'post' })
    const repeated = { method: 'POST', body: '{"title":"repeated"}' }
    const headers = { Authorization: 'Bearer ann', 'Content-Type': 'application/json', 'Idempotency-Key': 'k' }
    const responses = [await service.request('/api/posts', { ...repeated, headers })]
    responses.push(await service.request('/api/posts', { ...repeated, headers }))
    expect(await responses[1]?.text()).toBe(await responses[0]?.text())
    await service.content.as(people.caller('ann')).create('posts', { title: 'call' } as never)
    const operations = [{ op: 'create', collection: 'posts', data: { title: 'batch' } }]
    await send('ann', 'POST', '/api/cms/batch', { operations })
    const { items } = await service.content.as(ANONYMOUS).list('posts', { sort: 'createdAt' })
    const titles = (items as readonly { title?: unknown }[]).map(({ title }) => title)
    expect(titles).toEqual(['seed v c', 'post v c', 'repeated v c', 'call v c', 'batch v c'])
    probes.change = () => {
      throw new DaybookError('FORBIDDEN', 'No.')
    }
    const [{ id } = { id: '' }] = items
    const vetoes = [
      send('ann', 'DELETE', `/api/posts/${id}`).then(({ status }) => status),
      send('ann', 'PATCH', `/api/posts/${id}`, { rank: 1 }).then(({ status }) => status),
      send('ann', 'POST', '/api/cms/batch', { operations: [{ op: 'delete', collection: 'posts', id }] }).then(
        ({ status }) => status,
      ),
      service.content.delete('posts', id).catch(({ status }) => status),
    ]
    expect(await Promise.all(vetoes)).toEqual([403, 403, 403, 403])
    clearProbes()
  })

  test('of several plugins run in the order of the plugins, each with the result of the previous one', async () => {
    const marking = (name: string, requires = {}) =>
      definePlugin({
        name,
        version: '1.0.0',
        requires,
        hooks: {
          collections: {
            '*': { beforeValidate: ({ data }) => ({ ...data, title: `${data.title} *${name}` }) },
            posts: {
              beforeValidate: ({ data }) => ({ ...data, title: `${data.title} ${name}` }),
              beforeChange: ({ after }) => ({ title: `${after?.title}, ${name} again` }),
            },
          },
        },
      })
    const config: DaybookConfig = {
      collections: { posts: { fields: { title: f.text() } }, notes: { fields: { title: f.text() } } },
      plugins: [marking('late', { soon: '*' }), marking('soon')],
    }
    await using service = await store.open(config)
    expect(await service.content.create('posts', { title: 'T' } as never)).toMatchObject({
      title: 'T *soon soon *late late, soon again, late again',
    })
    expect(await service.content.create('notes', { title: 'T' } as never)).toMatchObject({
      title: 'T *soon *late',
    })
  })
})

it('hooks and validators run for imported files, but not for a restored export', async () => {
  const config = (
    refused: string,
    wrong: string,
  ): string => `import { defineConfig, definePlugin, DaybookError, f } from 'DAYBOOK'
const stamp = definePlugin({ name: 'stamp', version: '1.0.0', hooks: { collections: { posts: {
  beforeValidate: ({ data }) => ({ ...data, title: data.title + '!' }),
  beforeChange: ({ after }) => {
    if (after.title === '${refused}') throw new DaybookError('FORBIDDEN', 'Not this one.')
    return { stamp: 'stamped' }
  },
} } } })
export default defineConfig({
  collections: { posts: { fields: { title: f.text({ required: true, validate: (title) => (title === '${wrong}' ? 'is wrong' : undefined) }), stamp: f.text(), body: f.markdown(), slug: f.slug() } } },
  plugins: [stamp],
})
`
  await using folder = await folderOf({
    'daybook.config.ts': config('B!', 'C!'),
    'posts/a.md': '---\ntitle: A\n---\n\nText.\n',
    'posts/b.md': '---\ntitle: B\n---\n\nText.\n',
    'posts/c.md': '---\ntitle: C\n---\n\nText.\n',
  })
  const run = (...args: readonly string[]) => daybook(folder.path, ...args)
  const imported = await run('import', 'posts', '--collection', 'posts')
  expect(imported).toMatchObject({ status: 1, stderr: expect.stringContaining('posts/b.md: Not this one.') })
  expect(imported.stderr).toContain('posts/c.md, line 2: title is wrong.')
  expect(await run('export', 'all.ndjson')).toMatchObject({ status: 0 })
  await folder.write({ 'daybook.config.ts': config('A!', 'A!') })
  expect(await run('import', 'all.ndjson', '--data', 'copy')).toMatchObject({ status: 0 })
  const copied = await run('export', '-', '--data', 'copy')
  expect(copied.stdout).toContain('"title":"A!"')
  expect(copied.stdout).toContain('"stamp":"stamped"')
  expect(copied.stdout).not.toMatch(/[BC]!/)
})
