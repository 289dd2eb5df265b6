import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { setInterval } from 'node:timers'
import { defineCollection, definePlugin, f, type Plugin, type PluginRoute } from 'daybook'
import { pluginConformance } from 'daybook/testing'
import { afterAll, describe, expect, test } from 'vitest'

const config = { collections: { posts: defineCollection({ fields: { title: f.text({ required: true }) } }) } }

const route = (parts: Partial<PluginRoute>): PluginRoute => ({
  method: 'GET',
  path: '/conforming/:name',
  summary: 'Answers.',
  protection: 'public',
  responses: { 200: { description: 'Done.', mediaType: 'text/plain' } },
  run: () => new Response('done'),
  ...parts,
})

const good = (parts: object = {}): Plugin =>
  definePlugin({
    name: 'conforming',
    version: '1.0.0',
    system: true,
    options: { greeting: 'hello' },
    collections: { visits: defineCollection({ fields: { path: f.text() } }) },
    routes: [route({})],
    setup: (context) => {
      context.route(
        route({
          method: 'POST',
          path: '/conforming',
          body: { schema: { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false } },
        }),
      )
      const timer = setInterval(() => {}, 1000)
      return { check: () => {}, close: () => clearInterval(timer) }
    },
    ...parts,
  })

describe('a conforming plugin', () => {
  test.each(pluginConformance({ plugin: () => good(), config }))('$name', ({ run }) => run())
})

async function failedBy(plugin: () => Plugin): Promise<readonly string[]> {
  const failed: string[] = []
  for (const { name, run } of pluginConformance({ plugin, config })) await run().catch(() => failed.push(name))
  return failed
}

const servers: Server[] = []
afterAll(() => {
  for (const server of servers) server.close()
})

async function leaveServer(): Promise<void> {
  const server = createServer()
  servers.push(server)
  await once(server.listen(0, '127.0.0.1'), 'listening')
}

let count = 0
const shared = good()

/** A timer of other code, which ends while the plugin is checked. */
let stranger = setInterval(() => {}, 3000)
afterAll(() => clearInterval(stranger))

function leaveTimer(): void {
  clearInterval(stranger)
  stranger = setInterval(() => {}, 3000)
}

test.each([
  ['differs at each call', () => good({ options: { number: count++ } }), 'is the same plugin'],
  ['is the same object at each call', () => shared, 'is the same plugin'],
  ['is never ready', () => good({ setup: () => ({ check: () => Promise.reject(new Error('no')) }) }), 'is ready when'],
  ['leaves a timer', () => good({ setup: () => void setInterval(() => {}, 3000) }), 'lets go of timers'],
  ['leaves a timer while other code ends one', () => good({ setup: leaveTimer }), 'lets go of timers'],
  ['leaves a server', () => good({ setup: leaveServer }), 'lets go of timers'],
  [
    'fails when it is read',
    () => good({ routes: [route({ run: () => Promise.reject(new Error('no')) })] }),
    'answers reads as it declares',
  ],
  [
    'writes when it is read',
    () =>
      good({
        routes: [
          route({
            run: async ({ asSystem }) => {
              await asSystem({ reason: 'count visits' }).create('visits', { path: '/' })
              return new Response('done')
            },
          }),
        ],
      }),
    'stores nothing when it is read',
  ],
  [
    'lets caches store a response for one caller',
    () =>
      good({
        routes: [
          route({
            run: ({ caller }) =>
              new Response(String(caller.identity?.subject), { headers: { 'Cache-Control': 'public, max-age=60' } }),
          }),
        ],
      }),
    'lets shared caches keep only',
  ],
  [
    'fails on an invalid body',
    () =>
      good({
        routes: [
          route({
            method: 'POST',
            path: '/any',
            body: { schema: {} },
            run: ({ body }) => new Response(String((body as { a: { b: string } }).a.b)),
          }),
        ],
      }),
    'reveals nothing of its inside',
  ],
])('detects a plugin that %s', async (_case, plugin, check) => {
  expect((await failedBy(plugin)).some((name) => name.startsWith(check))).toBe(true)
})
