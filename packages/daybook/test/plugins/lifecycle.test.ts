import { type DaybookConfig, defineCollection, definePlugin, f, type Plugin, type PluginRuntime } from 'daybook'
import { createTestService } from 'daybook/testing'
import { describe, expect, test } from 'vitest'
import { RecordingLog } from '../support/recording-log.ts'
import { POLICY_STORES } from '../support/stores/stores.ts'

const collections = { posts: defineCollection({ fields: { title: f.text({ required: true }) } }) }
const NEVER = (): Promise<never> => new Promise(() => {})

/** Creates a plugin that records when it is set up and closed. */
function recording(notes: string[], name: string, parts: Partial<Plugin> = {}, runtime: PluginRuntime = {}): Plugin {
  return definePlugin({
    name,
    version: '1.0.0',
    setup: () => {
      notes.push(`+${name}`)
      return { close: () => void notes.push(`-${name}`), ...runtime }
    },
    ...(parts as object),
  })
}

/** Creates a config with plugins that time out early. */
const withPlugins = (plugins: readonly Plugin[]): DaybookConfig => ({
  collections,
  plugins,
  limits: { pluginMs: 100, pluginStartMs: 100 },
})

describe('plugins are set up', () => {
  const recordOrder = async (make: (notes: string[]) => readonly Plugin[]): Promise<string> => {
    const notes: string[] = []
    const service = await createTestService(withPlugins(make(notes)))
    await service.close()
    return notes.join(' ')
  }

  test('by name, and closed in reverse', async () => {
    const order = await recordOrder((notes) => [recording(notes, 'c'), recording(notes, 'a'), recording(notes, 'b')])
    expect(order).toBe('+a +b +c -c -b -a')
  })

  test('after the plugins named in requires and after, and otherwise by name', async () => {
    const order = await recordOrder((notes) => [
      recording(notes, 'a', { requires: { z: '^1.0.0', daybook: '>=0.1' } }),
      recording(notes, 'b', { after: ['c', 'absent'] }),
      recording(notes, 'c'),
      recording(notes, 'z'),
    ])
    expect(order).toBe('+c +b +z +a -a -z -b -c')
  })
})

describe('a start that fails', () => {
  test.each([
    ['throws', () => Promise.reject(new Error('no key')), 'The plugin "bad" could not be set up: no key'],
    ['hangs', NEVER, 'The plugin "bad" could not be set up: took longer than 100 ms'],
    ['returns something else', () => ({ stop: () => {} }) as never, 'setup must return nothing, or { check, close }'],
  ] as const)('because setup %s closes the plugins that had started', async (_case, setup, message) => {
    const notes: string[] = []
    const bad = definePlugin({ name: 'bad', version: '1.0.0', setup })
    const late = recording(notes, 'late', { after: ['bad'] })
    const start = createTestService(withPlugins([recording(notes, 'a'), recording(notes, 'b'), bad, late]))
    await expect(start).rejects.toThrow(message)
    expect(notes.join(' ')).toBe('+a +b -b -a')
  })

  test('because routes clash closes the plugins that had started', async () => {
    const notes: string[] = []
    const route = {
      method: 'GET',
      path: '/api/health',
      summary: 'Clashes.',
      protection: 'public',
      responses: { 200: { description: 'Never.' } },
      run: () => new Response(),
    } as const
    await expect(createTestService(withPlugins([recording(notes, 'a', { routes: [route] })]))).rejects.toThrow(
      '/api/health',
    )
    expect(notes.join(' ')).toBe('+a -a')
  })
})

test('a close that fails or hangs is logged, and the other plugins are closed', async () => {
  const notes: string[] = []
  const log = new RecordingLog()
  const hangs = recording(notes, 'b', {}, { close: NEVER })
  const throws = recording(notes, 'c', {}, { close: () => Promise.reject(new Error('stuck')) })
  const service = await createTestService(withPlugins([recording(notes, 'a'), hangs, throws]), { log })
  await service.close()
  expect(notes.join(' ')).toBe('+a +b +c -a')
  const lines = log.take().filter((line) => line.startsWith('error plugin: close failed'))
  expect(lines.map((line) => /plugin: '(\w)'/.exec(line)?.[1])).toEqual(['c', 'b'])
})

test('a route cannot be added after setup', async () => {
  let add: (() => void) | undefined
  const late = definePlugin({
    name: 'late',
    version: '1.0.0',
    setup: (context) => {
      add = () => context.route({} as never)
    },
  })
  await using _service = await createTestService(withPlugins([late]))
  expect(add).toThrow('The plugin "late" adds a route after its setup has ended.')
})

describe('/api/ready', () => {
  const checking = (name: string, check: () => void | Promise<void>): Plugin =>
    definePlugin({ name, version: '1.0.0', setup: () => ({ check }) })

  test('names the plugins with a check', async () => {
    await using service = await createTestService(withPlugins([checking('good', () => {}), recording([], 'silent')]))
    const ready = await service.request('/api/ready')
    expect([ready.status, await ready.json()]).toEqual([
      200,
      { status: 'ready', checks: { database: 'ok', plugins: { good: 'ok' } } },
    ])
  })

  test.each([
    ['fails', () => Promise.reject(new Error('the secret reason'))],
    ['hangs', NEVER],
  ])('responds with 503 if a check %s, and logs the reason', async (_case, check) => {
    const log = new RecordingLog()
    await using service = await createTestService(withPlugins([checking('bad', check), checking('good', () => {})]), {
      log,
    })
    const ready = await service.request('/api/ready')
    const text = await ready.text()
    expect([ready.status, JSON.parse(text).details]).toEqual([
      503,
      { checks: { database: 'ok', plugins: { bad: 'failed', good: 'ok' } } },
    ])
    expect(text).not.toContain('secret')
    expect(log.take().join('\n')).toContain('plugin: check failed')
    expect((await service.request('/api/health')).status).toBe(200)
  })

  test('does not start a check again while it hangs', async () => {
    let checks = 0
    const counting = checking('slow', () => {
      checks += 1
      return NEVER()
    })
    await using service = await createTestService(withPlugins([counting]))
    await Promise.all([service.request('/api/ready'), service.request('/api/ready'), service.request('/api/ready')])
    expect(checks).toBe(1)
  })
})

describe.each(POLICY_STORES)('the content APIs of a plugin on $name', (store) => {
  const closed = defineCollection({
    fields: { title: f.text({ required: true, access: { write: () => false } }) },
    access: { read: () => false, create: () => false, update: () => false, delete: () => false },
  })

  test('are anonymous in setup and unrestricted with asSystem, whose reason the journal records', async () => {
    const seen: unknown[] = []
    const sync = definePlugin({
      name: 'sync',
      version: '1.0.0',
      system: true,
      collections: { closed },
      setup: async ({ content, asSystem }) => {
        seen.push(await content.create('closed', { title: 'a' }).catch((error) => error.code))
        const system = asSystem({ reason: 'first fill' })
        const { id } = await system.create('closed', { title: 'a' })
        await system.update('closed', id, { title: 'b' })
        const { total, items } = await system.list('closed')
        seen.push([total, items[0]?.title])
        await system.delete('closed', id)
      },
    })
    await using service = await store.open({ collections, plugins: [sync] })
    expect(seen).toEqual(['UNAUTHORIZED', [1, 'b']])
    const actors = await service.rows('select action, actor from daybook$journal order by seq')
    const actor = 'plugin:sync (first fill)'
    expect(actors).toEqual(['create', 'update', 'delete'].map((action) => ({ action, actor })))
  })
})

describe('asSystem', () => {
  async function catchError(system: boolean, why: unknown): Promise<unknown> {
    let thrown: unknown
    const asks = definePlugin({
      name: 'asks',
      version: '1.0.0',
      system,
      setup: ({ asSystem }) => {
        try {
          asSystem(why as { reason: string })
        } catch (error) {
          thrown = error
        }
      },
    })
    await using _service = await createTestService(withPlugins([asks]))
    return thrown
  }

  test('is only for plugins that declare it', async () => {
    expect(String(await catchError(false, { reason: 'sync' }))).toBe(
      `TypeError: The plugin "asks" calls asSystem. Declare it: definePlugin({ name: 'asks', system: true, … }).`,
    )
    expect(await catchError(true, { reason: 'sync' })).toBeUndefined()
  })

  test.each([
    undefined,
    {},
    { reason: '' },
    { reason: '  ' },
    { reason: 'a\nplugin:other (b)' },
    { reason: 'a\u2028b' },
    { reason: 'a'.repeat(201) },
  ])('rejects the reason %j', async (why) => {
    expect(String(await catchError(true, why))).toContain('needs a reason of one line')
  })
})
