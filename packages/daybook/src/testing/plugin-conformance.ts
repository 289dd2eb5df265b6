import { deepStrictEqual, doesNotMatch, notStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { AsyncLocalStorage, createHook } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DaybookConfig } from '../config/config.ts'
import type { Plugin } from '../config/plugin.ts'
import type { Route } from '../http/contract.ts'
import type { ConformanceCheck } from './auth-conformance.ts'
import { createTestService, type TestService } from './test-service.ts'

/** A plugin to check. */
export interface PluginSubject {
  /** Creates the plugin; called for each service. */
  readonly plugin: () => Plugin
  /** A config for the plugin, with the plugins that it requires, and a seed with content for its routes. */
  readonly config: DaybookConfig
  /** Addresses of routes with placeholders, by the route's path: `{ '/moved/:slug': '/moved/hello' }`. @default invented */
  readonly addresses?: Readonly<Record<string, string>>
}

/** The number of concurrent requests. */
const CONCURRENCY = 20
/** The time until closed resources must be gone, in milliseconds. */
const RELEASE_MS = 2000

/**
 * The contract of plugins, as checks for any test runner.
 *
 * @example
 * ```ts
 * import { test } from 'node:test'
 * import { pluginConformance } from 'daybook/testing'
 *
 * for (const { name, run } of pluginConformance({ plugin: () => redirects(), config })) test(name, run)
 * ```
 */
export function pluginConformance(subject: PluginSubject): readonly ConformanceCheck[] {
  return [...lifeChecks(subject), ...routeChecks(subject)]
}

function withPlugin({ plugin, config }: PluginSubject): DaybookConfig {
  return { ...config, plugins: [...(config.plugins ?? []), plugin()] }
}

/** Runs work with a service that has the plugin. The routes are those of the plugin. */
async function withService<T>(
  subject: PluginSubject,
  work: (service: TestService, routes: readonly Route[]) => Promise<T>,
): Promise<T> {
  await using service = await createTestService(withPlugin(subject), { metrics: true })
  const { name } = subject.plugin()
  return await work(
    service,
    service.routes.filter((route) => route.plugin === name),
  )
}

function lifeChecks(subject: PluginSubject): readonly ConformanceCheck[] {
  return [
    {
      name: 'is the same plugin each time it is made, and shares nothing that can change',
      async run() {
        const [first, second] = [subject.plugin(), subject.plugin()]
        deepStrictEqual([first.name, first.version], [second.name, second.version])
        deepStrictEqual(pickPlainData(first), pickPlainData(second))
        notStrictEqual(first, second, 'make a new object for each call')
      },
    },
    {
      name: 'works on two services in one process, whichever of them ends first',
      async run() {
        await using service = await createTestService(withPlugin(subject))
        await withService(subject, async (other) => strictEqual((await other.request('/api/ready')).status, 200))
        strictEqual((await service.request('/api/ready')).status, 200)
      },
    },
    {
      name: 'is ready when it has been set up',
      run: () =>
        withService(subject, async (service) => {
          const ready = await service.request('/api/ready')
          strictEqual(ready.status, 200, await ready.text())
        }),
    },
    {
      name: 'lets go of timers, sockets and files when it is closed',
      async run() {
        // The first service of a process opens resources that stay.
        await withService(subject, async () => {})
        using resources = new OpenResources()
        await resources.track(() => withService(subject, async () => {}))
        await waitForRelease(resources)
      },
    },
  ]
}

const pickPlainData = ({ requires, after, options, system, studio }: Plugin): object => ({
  requires,
  after,
  options,
  system,
  studio,
})

async function waitForRelease(resources: OpenResources): Promise<void> {
  const deadline = performance.now() + RELEASE_MS
  for (let kinds = resources.kinds(); kinds.length > 0; kinds = resources.kinds()) {
    ok(performance.now() < deadline, `close must end everything that setup started. Left over: ${kinds.join(', ')}`)
    await sleep(20, undefined, { ref: false })
  }
}

function routeChecks(subject: PluginSubject): readonly ConformanceCheck[] {
  /** Creates a check of every route that only reads. */
  const createReadCheck = (
    name: string,
    check: (service: TestService, address: string, route: Route) => Promise<void>,
  ): ConformanceCheck => ({
    name,
    run: () =>
      withService(subject, async (service, routes) => {
        for (const route of routes.filter(({ method }) => method === 'GET')) {
          await check(service, addressFor(route, subject.addresses), route)
        }
      }),
  })
  return [
    createReadCheck(
      'answers reads as it declares, to readers with and without a session, many at once',
      async (service, address) => {
        for (const headers of callerHeaders(service)) {
          const responses = Array.from({ length: CONCURRENCY }, () => service.request(address, { headers }))
          const statuses = await Promise.all(responses.map(async (response) => readStatus(await response)))
          const failures = statuses.filter((status) => status >= 500)
          deepStrictEqual(failures, [], `${address} fails`)
        }
      },
    ),
    createReadCheck('stores nothing when it is read (RFC 9110, section 9.2.1)', async (service, address) => {
      const before = await journalSeq(service)
      for (const headers of callerHeaders(service)) await readStatus(await service.request(address, { headers }))
      strictEqual(await journalSeq(service), before, `GET ${address} writes`)
    }),
    createReadCheck('lets shared caches keep only what is the same for everyone', async (service, address) => {
      const responses = await Promise.all(
        callerHeaders(service).map((headers) => service.request(address, { headers })),
      )
      const isShared = responses.some(({ headers }) =>
        /\b(?:public|s-maxage)\b/.test(headers.get('cache-control') ?? ''),
      )
      const [anonymousText, sessionText] = await Promise.all(responses.map((response) => response.text()))
      if (isShared)
        strictEqual(
          anonymousText,
          sessionText,
          `${address} sends Cache-Control: public, but its response differs with a session`,
        )
    }),
    {
      name: 'reveals nothing of its inside when the input is wrong',
      run: () =>
        withService(subject, async (service, routes) => {
          for (const route of routes)
            for (const init of hostileRequests(service, route)) {
              const response = await service.request(addressFor(route, subject.addresses), init)
              const text = await response.text()
              ok(
                response.status < 500,
                `${route.method} ${route.path} responds with ${response.status} to an invalid body`,
              )
              doesNotMatch(
                text,
                /\bat .*:\d+:\d+|node_modules|SQLITE_|node:internal/,
                `${route.path} reveals internal details`,
              )
            }
        }),
    },
  ]
}

/** The headers of a caller without a session, and of one with a session. */
const callerHeaders = ({ token }: TestService): readonly Record<string, string>[] => [
  {},
  { Authorization: `Bearer ${token}` },
]

async function readStatus(response: Response): Promise<number> {
  await response.arrayBuffer()
  return response.status
}

async function journalSeq(service: TestService): Promise<string | undefined> {
  return /^daybook_journal_seq(?:\{[^}]*\})? (\d+)/m.exec(await service.metrics())?.[1]
}

const HOSTILE_BODIES: readonly string[] = [
  '',
  '{',
  'null',
  '[]',
  '{"__proto__":{"a":1}}',
  `{"a":"${'x'.repeat(10_000)}"}`,
  '"\\u0000"',
]

/** Returns requests with unusual and invalid bodies. */
function hostileRequests({ token }: TestService, { method, body }: Route): readonly RequestInit[] {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': body?.mediaTypes[0] ?? 'application/json' }
  if (method === 'GET' || method === 'DELETE') return [{ method, headers }]
  return HOSTILE_BODIES.map((text) => ({ method, headers, body: text }))
}

/** Returns the address of a route from the addresses of the subject, or an invented one. */
function addressFor(
  { path, parameters = {}, pathParameters = {} }: Route,
  addresses: Readonly<Record<string, string>> = {},
): string {
  const invented = path
    .replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(sampleFor(pathParameters[name]?.schema)))
    .replace(/\*$/, 'x')
  const required = Object.entries(parameters).filter(([, { isRequired }]) => isRequired)
  const query = new URLSearchParams(required.map(([name, { schema }]): [string, string] => [name, sampleFor(schema)]))
  return addresses[path] ?? (required.length > 0 ? `${invented}?${query}` : invented)
}

/** Returns a text that a simple schema accepts. */
function sampleFor(schema: Readonly<Record<string, unknown>> = {}): string {
  const [first] = Array.isArray(schema.enum) ? schema.enum : []
  if (first !== undefined) return String(first)
  if (schema.type === 'integer' || schema.type === 'number') return String(schema.minimum ?? 1)
  return schema.type === 'boolean' ? 'true' : 'x'
}

/** A timer, a socket, a server or a port, which can keep its process alive. */
interface Resource {
  readonly kind: string
  /** True if it keeps the process alive. */
  hasRef(): boolean
}

/** The resources that a piece of work opens, independent of other work in the process. */
class OpenResources implements Disposable {
  /** The resources that are not closed, by the id of their async hook. */
  readonly #open = new Map<number, Resource>()
  readonly #work = new AsyncLocalStorage<true>()
  readonly #hook = createHook({
    init: (id, kind, _trigger, resource) => {
      if (this.#work.getStore() && hasRefMethod(resource)) this.#open.set(id, { kind, hasRef: () => resource.hasRef() })
    },
    destroy: (id) => void this.#open.delete(id),
  })

  /** Records the resources that `work`, and all that it starts, opens. */
  track<T>(work: () => Promise<T>): Promise<T> {
    this.#hook.enable()
    return this.#work.run(true, work)
  }

  /** Returns the kinds of resources that keep the process alive. */
  kinds(): readonly string[] {
    return [...this.#open.values()].filter((resource) => resource.hasRef()).map(({ kind }) => kind)
  }

  [Symbol.dispose](): void {
    this.#hook.disable()
  }
}

const hasRefMethod = (resource: object): resource is Pick<Resource, 'hasRef'> =>
  'hasRef' in resource && typeof resource.hasRef === 'function'
