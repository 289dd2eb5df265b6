import { deepStrictEqual, doesNotMatch, notStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DaybookConfig } from '../config/config.ts'
import type { Plugin } from '../config/plugin.ts'
import type { Route } from '../http/contract.ts'
import type { ConformanceCheck } from './auth-conformance.ts'
import { HeldResources } from './held-resources.ts'
import { addressOf, hostileRequests } from './plugin-requests.ts'
import { createTestService, type TestService } from './test-service.ts'

/** A plugin to check. */
export interface PluginSubject {
  /** Makes the plugin; called anew for each service. */
  readonly plugin: () => Plugin
  /** The config that it is for, with the plugins that it requires, and a seed for its routes to find something. */
  readonly config: DaybookConfig
  /** Addresses to ask routes with open places at, by the route's path: `{ '/moved/:slug': '/moved/hello' }`. @default made up */
  readonly addresses?: Readonly<Record<string, string>>
}

/** How many requests are sent at once. */
const CROWD = 20
/** How long what a plugin has let go of may take to be gone, in milliseconds. */
const LETTING_GO_MS = 2000

/**
 * What every plugin promises, as checks for any test runner.
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

/** Does work with a service that has the plugin; the routes are the plugin's own. */
async function serving<T>(
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
        const [one, other] = [subject.plugin(), subject.plugin()]
        deepStrictEqual([one.name, one.version], [other.name, other.version])
        deepStrictEqual(outline(one), outline(other))
        notStrictEqual(one, other, 'make a new object for each call')
      },
    },
    {
      name: 'works on two services in one process, whichever of them ends first',
      async run() {
        await using service = await createTestService(withPlugin(subject))
        await serving(subject, async (other) => strictEqual((await other.request('/api/ready')).status, 200))
        strictEqual((await service.request('/api/ready')).status, 200)
      },
    },
    {
      name: 'is ready when it has been set up',
      run: () =>
        serving(subject, async (service) => {
          const ready = await service.request('/api/ready')
          strictEqual(ready.status, 200, await ready.text())
        }),
    },
    {
      name: 'lets go of timers, sockets and files when it is closed',
      async run() {
        // What the first service of a process loads stays.
        await serving(subject, async () => {})
        using held = new HeldResources()
        await held.during(() => serving(subject, async () => {}))
        await untilReleased(held)
      },
    },
  ]
}

/** What of a plugin is plain data. */
const outline = ({ requires, after, options, system, studio }: Plugin): object => ({
  requires,
  after,
  options,
  system,
  studio,
})

async function untilReleased(held: HeldResources): Promise<void> {
  const until = performance.now() + LETTING_GO_MS
  for (let left = held.kinds(); left.length > 0; left = held.kinds()) {
    ok(performance.now() < until, `close must end what setup began; left over: ${left.join(', ')}`)
    await sleep(20, undefined, { ref: false })
  }
}

function routeChecks(subject: PluginSubject): readonly ConformanceCheck[] {
  /** A check of every route that only reads. */
  const ofReads = (
    name: string,
    check: (service: TestService, address: string, route: Route) => Promise<void>,
  ): ConformanceCheck => ({
    name,
    run: () =>
      serving(subject, async (service, routes) => {
        for (const route of routes.filter(({ method }) => method === 'GET')) {
          await check(service, addressOf(route, subject.addresses), route)
        }
      }),
  })
  return [
    ofReads(
      'answers reads as it declares, to readers with and without a session, many at once',
      async (service, address) => {
        for (const headers of callersOf(service)) {
          const answers = Array.from({ length: CROWD }, () => service.request(address, { headers }))
          const statuses = await Promise.all(answers.map(async (answer) => statusOf(await answer)))
          const failed = statuses.filter((status) => status >= 500)
          deepStrictEqual(failed, [], `${address} fails`)
        }
      },
    ),
    ofReads('stores nothing when it is read (RFC 9110, section 9.2.1)', async (service, address) => {
      const before = await journalSeq(service)
      for (const headers of callersOf(service)) await statusOf(await service.request(address, { headers }))
      strictEqual(await journalSeq(service), before, `GET ${address} writes`)
    }),
    ofReads('lets shared caches keep only what is the same for everyone', async (service, address) => {
      const answers = await Promise.all(callersOf(service).map((headers) => service.request(address, { headers })))
      const isShared = answers.some(({ headers }) => /\b(?:public|s-maxage)\b/.test(headers.get('cache-control') ?? ''))
      const [one, other] = await Promise.all(answers.map((answer) => answer.text()))
      if (isShared) strictEqual(one, other, `${address} says Cache-Control: public, and differs with a session`)
    }),
    {
      name: 'reveals nothing of its inside when the input is wrong',
      run: () =>
        serving(subject, async (service, routes) => {
          for (const route of routes)
            for (const init of hostileRequests(service, route)) {
              const answer = await service.request(addressOf(route, subject.addresses), init)
              const text = await answer.text()
              ok(answer.status < 500, `${route.method} ${route.path} answers ${answer.status} to a wrong body`)
              doesNotMatch(
                text,
                /\bat .*:\d+:\d+|node_modules|SQLITE_|node:internal/,
                `${route.path} tells of its inside`,
              )
            }
        }),
    },
  ]
}

/** Headers of a reader without and of one with a session. */
const callersOf = ({ token }: TestService): readonly Record<string, string>[] => [
  {},
  { Authorization: `Bearer ${token}` },
]

async function statusOf(answer: Response): Promise<number> {
  await answer.arrayBuffer()
  return answer.status
}

async function journalSeq(service: TestService): Promise<string | undefined> {
  return /^daybook_journal_seq(?:\{[^}]*\})? (\d+)/m.exec(await service.metrics())?.[1]
}
