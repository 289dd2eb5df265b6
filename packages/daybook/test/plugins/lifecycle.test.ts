import { type DaybookConfig, defineCollection, definePlugin, f, type Plugin, type PluginRuntime } from 'daybook'
import { createTestService } from 'daybook/testing'
import { describe, expect, test } from 'vitest'
import { KeptLog } from '../support/kept-log.ts'
import { POLICY_STORES } from '../support/stores/stores.ts'

const collections = { posts: defineCollection({ fields: { title: f.text({ required: true }) } }) }
const NEVER = (): Promise<never> => new Promise(() => {})

/** A plugin that notes when it is set up and closed. */
function noting(notes: string[], name: string, parts: Partial<Plugin> = {}, runtime: PluginRuntime = {}): Plugin {
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

/** A config with these plugins, which are given up soon. */
const withPlugins = (plugins: readonly Plugin[]): DaybookConfig => ({
  collections,
  plugins,
  limits: { pluginMs: 100, pluginStartMs: 100 },
})

describe('plugins are set up', () => {
  const orderOf = async (make: (notes: string[]) => readonly Plugin[]): Promise<string> => {
    const notes: string[] = []
    const service = await createTestService(withPlugins(make(notes)))
    await service.close()
    return notes.join(' ')
  }

  test('by name, and closed in reverse', async () => {
    const order = await orderOf((notes) => [noting(notes, 'c'), noting(notes, 'a'), noting(notes, 'b')])
    expect(order).toBe('+a +b +c -c -b -a')
  })

  test('after those that they require or name in after, and only then by name', async () => {
    const order = await orderOf((notes) => [
      noting(notes, 'a', { requires: { z: '^1.0.0', daybook: '>=0.1' } }),
      noting(notes, 'b', { after: ['c', 'absent'] }),
      noting(notes, 'c'),
      noting(notes, 'z'),
    ])
    expect(order).toBe('+c +b +z +a -a -z -b -c')
  })
})

describe('a start that fails', () => {
  test.each([
    ['throws', () => Promise.reject(new Error('no key')), 'The plugin "bad" could not be set up: no key'],
    ['hangs', NEVER, 'The plugin "bad" could not be set up: took longer than 100 ms'],
    ['answers something else', () => ({ stop: () => {} }) as never, 'setup must answer nothing, or { check, close }'],
  ] as const)('because setup %s closes what had started', async (_how, setup, message) => {
    const notes: string[] = []
    const bad = definePlugin({ name: 'bad', version: '1.0.0', setup })
    const late = noting(notes, 'late', { after: ['bad'] })
    const start = createTestService(withPlugins([noting(notes, 'a'), noting(notes, 'b'), bad, late]))
    await expect(start).rejects.toThrow(message)
    expect(notes.join(' ')).toBe('+a +b -b -a')
  })

  test('because routes clash closes what had started', async () => {
    const notes: string[] = []
    const route = {
      method: 'GET',
      path: '/api/health',
      summary: 'Clashes.',
      protection: 'public',
      responses: { 200: { description: 'Never.' } },
      run: () => new Response(),
    } as const
    await expect(createTestService(withPlugins([noting(notes, 'a', { routes: [route] })]))).rejects.toThrow(
      '/api/health',
    )
    expect(notes.join(' ')).toBe('+a -a')
  })
})

test('a close that fails or hangs is logged, and keeps no other from closing', async () => {
  const notes: string[] = []
  const log = new KeptLog()
  const hangs = noting(notes, 'b', {}, { close: NEVER })
  const throws = noting(notes, 'c', {}, { close: () => Promise.reject(new Error('stuck')) })
  const service = await createTestService(withPlugins([noting(notes, 'a'), hangs, throws]), { log })
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

  test('names the plugins that can say how they are', async () => {
    await using service = await createTestService(withPlugins([checking('good', () => {}), noting([], 'silent')]))
    const ready = await service.request('/api/ready')
    expect([ready.status, await ready.json()]).toEqual([
      200,
      { status: 'ready', checks: { database: 'ok', plugins: { good: 'ok' } } },
    ])
  })

  test.each([
    ['fails', () => Promise.reject(new Error('the secret reason'))],
    ['hangs', NEVER],
  ])('is 503 where a check %s, and says why in the log alone', async (_how, check) => {
    const log = new KeptLog()
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

  test('asks a check that hangs no second time meanwhile', async () => {
    let asked = 0
    const counting = checking('slow', () => {
      asked += 1
      return NEVER()
    })
    await using service = await createTestService(withPlugins([counting]))
    await Promise.all([service.request('/api/ready'), service.request('/api/ready'), service.request('/api/ready')])
    expect(asked).toBe(1)
  })
})

describe.each(POLICY_STORES)('content handles of a plugin on $name', (store) => {
  const closed = defineCollection({
    fields: { title: f.text({ required: true, access: { write: () => false } }) },
    access: { read: () => false, create: () => false, update: () => false, delete: () => false },
  })

  test('are anonymous in setup; asSystem does everything, and the journal says why', async () => {
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
  /** What a plugin is told that calls it so. */
  async function refusalOf(system: boolean, why: unknown): Promise<unknown> {
    let refusal: unknown
    const asks = definePlugin({
      name: 'asks',
      version: '1.0.0',
      system,
      setup: ({ asSystem }) => {
        try {
          asSystem(why as { reason: string })
        } catch (error) {
          refusal = error
        }
      },
    })
    await using _service = await createTestService(withPlugins([asks]))
    return refusal
  }

  test('is for plugins that declare it', async () => {
    expect(String(await refusalOf(false, { reason: 'sync' }))).toBe(
      `TypeError: The plugin "asks" calls asSystem. Declare it: definePlugin({ name: 'asks', system: true, … }).`,
    )
    expect(await refusalOf(true, { reason: 'sync' })).toBeUndefined()
  })

  test.each([
    undefined,
    {},
    { reason: '' },
    { reason: '  ' },
    { reason: 'a\nplugin:other (b)' },
    { reason: 'a\u2028b' },
    { reason: 'a'.repeat(201) },
  ])('refuses the reason %j', async (why) => {
    expect(String(await refusalOf(true, why))).toContain('needs a reason of one line')
  })
})
