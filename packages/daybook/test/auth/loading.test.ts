import { type AuthAdapter, type AuthContext, defineCollection, defineConfig, f } from 'daybook'
import { type AuthAdapterSubject, authAdapterConformance, createTestService, type TestService } from 'daybook/testing'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { AccountsAdapter, type AccountsParts } from '../../src/auth/accounts/accounts-adapter.ts'
import { openAccounts } from '../../src/auth/accounts/better-auth.ts'
import { recordDatabase } from '../../src/auth/accounts/record-database.ts'
import { Setup } from '../../src/auth/accounts/setup.ts'
import { SessionCache } from '../../src/auth/session-cache.ts'
import { MemoryDatabase } from '../../src/store/sqlite/memory-database.ts'
import { Store } from '../../src/store/store.ts'
import { identityOf } from '../support/auth/people.ts'
import { Browser } from './browser.ts'

// Loading an adapter uses no store, so one kind is enough.

const COOKIE = { cookie: 'sid=mia' }
const FOREIGN_COOKIE = { cookie: '_ga=1' }

class EventCounter {
  #count = 0
  readonly #waiting: { readonly count: number; readonly resolve: () => void }[] = []

  get count(): number {
    return this.#count
  }

  add(): void {
    this.#count += 1
    for (const { count, resolve } of this.#waiting) if (count === this.#count) resolve()
  }

  async reaches(count: number): Promise<void> {
    if (this.#count < count) await new Promise<void>((resolve) => this.#waiting.push({ count, resolve }))
  }
}

/** Loads that end when the test says so. */
class HeldLoads {
  readonly begun = new EventCounter()
  #last = Promise.withResolvers<void>()

  readonly begin = (): Promise<void> => {
    this.#last = Promise.withResolvers<void>()
    this.begun.add()
    return this.#last.promise
  }

  finish(): void {
    this.#last.resolve()
  }

  fail(): void {
    this.#last.reject(new Error('ENOENT: the code is not there'))
  }
}

let calls: string[] = []
/** Requests that the adapter has seen, loaded or not. */
let seen: EventCounter
/** Calls of `getIdentity`. */
let identified: EventCounter
let loads: HeldLoads

const note = <T>(call: string, result: T): T => {
  calls.push(call)
  return result
}

const isMia = ({ headers }: AuthContext): boolean => headers.get('cookie') === COOKIE.cookie

const adapter: AuthAdapter = {
  getCapabilities: () => ({ provider: 'people', providerRoutes: { enabled: true, basePath: '/api/auth' } }),
  hasCredential: ({ headers }) => {
    seen.add()
    return headers.get('cookie')?.startsWith('sid=') ?? false
  },
  load: () => loads.begin(),
  getPrincipal: async (context) => note('principal', isMia(context) ? { id: 'mia' } : null),
  getIdentity: async (context) => note('identity', isMia(context) ? identityOf('mia') : null),
  invoke: async () => note('action', Response.json({})),
  handleRequest: async () => note('route', Response.json({})),
}

const configOf = (auth: AuthAdapter) =>
  defineConfig({
    auth,
    collections: { notes: defineCollection({ fields: { title: f.text() } }) },
    limits: { signInsPerMinute: 1000 },
  })

const pass = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1000)

let service: TestService<ReturnType<typeof configOf>>

async function serve(auth: AuthAdapter): Promise<void> {
  service = await createTestService(configOf(auth))
}

beforeEach(() => {
  calls = []
  seen = new EventCounter()
  identified = new EventCounter()
  loads = new HeldLoads()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  return async () => {
    vi.useRealTimers()
    await service.close()
  }
})

afterEach(() => loads.finish())

const send = async (path: string, init: RequestInit = {}): Promise<number> => {
  const response = await service.fetch(new Request(`http://localhost${path}`, init))
  await response.arrayBuffer()
  return response.status
}
const session = (headers: Record<string, string> = COOKIE) => send('/api/cms/auth/session', { headers })
const action = () =>
  send('/api/cms/auth/actions/greet', { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } })
const route = () => send('/api/auth/anything')

describe('an adapter that loads', () => {
  beforeEach(() => serve(adapter))

  test.each([
    ['a session', () => session(), ['principal', 'identity']],
    ['an action', action, ['action']],
    ['a provider route', route, ['route']],
  ])(
    'is asked for %s once it has loaded, however long that takes: its time begins then',
    async (_what, sendRequest, expectedCalls) => {
      const status = sendRequest()
      await loads.begun.reaches(1)
      await pass(29)
      expect(calls).toEqual([])
      loads.finish()
      expect(await status).toBe(200)
      expect(calls).toEqual(expectedCalls)
    },
  )

  test('is loaded once: concurrent requests wait for the same load, and later ones for none', async () => {
    const statuses = Promise.all([session(), session(), action(), route(), session()])
    await loads.begun.reaches(1)
    loads.finish()
    expect(await statuses).toEqual([200, 200, 200, 200, 200])
    expect([await session(), await action()]).toEqual([200, 200])
    expect(loads.begun.count).toBe(1)
  })

  test('gets 503 for all requests that waited for a failed load, and the next request loads again', async () => {
    const waiting = Promise.all([session(), session(), session()])
    await seen.reaches(3)
    loads.fail()
    expect(await waiting).toEqual([503, 503, 503])
    expect(calls).toEqual([])
    const next = session()
    await loads.begun.reaches(2)
    loads.finish()
    expect(await next).toBe(200)
  })

  test('gives no session if the load never ends, and is loaded again by the next request', async () => {
    const waiting = session()
    await loads.begun.reaches(1)
    await pass(30)
    expect(await waiting).toBe(503)
    expect(calls).toEqual([])
    const next = session()
    await loads.begun.reaches(2)
    loads.finish()
    expect(await next).toBe(200)
  })

  test('does not delay requests without a credential of its kind', async () => {
    const pending = session()
    await loads.begun.reaches(1)
    const service = { authorization: `Bearer ${'x'.repeat(40)}` }
    for (const headers of [{}, FOREIGN_COOKIE, service]) {
      expect([await session(headers), await send('/api/notes', { headers })]).toEqual([200, 200])
    }
    expect(calls).toEqual([])
    loads.finish()
    expect(await pending).toBe(200)
  })

  test('is not loaded for requests without a credential of its kind', async () => {
    for (const headers of [{}, FOREIGN_COOKIE]) expect(await session(headers)).toBe(200)
    expect(loads.begun.count).toBe(0)
  })
})

test('a loaded adapter has two seconds for each call, the first one included', async () => {
  const getIdentity = (): Promise<never> => {
    identified.add()
    return new Promise(() => {})
  }
  await serve({ ...adapter, getIdentity })
  const status = session()
  await loads.begun.reaches(1)
  await pass(20)
  loads.finish()
  await identified.reaches(1)
  await pass(2)
  expect(await status).toBe(503)
})

test.each<[string, Partial<AuthAdapter>]>([
  [
    'load throws',
    {
      load: () => {
        throw new Error('oops')
      },
    },
  ],
  ['load rejects with nothing', { load: () => Promise.reject(undefined) }],
  [
    'hasCredential throws',
    {
      hasCredential: () => {
        throw new Error('oops')
      },
    },
  ],
])('there is no session when %s', async (_name, parts) => {
  await serve({ ...adapter, ...parts })
  expect(await session()).toBe(503)
  expect(calls).toEqual([])
})

describe('accounts', () => {
  const { records } = new Store(new MemoryDatabase())
  const parts: AccountsParts = {
    registration: 'open',
    cookiePrefix: 'better-auth',
    sessions: new SessionCache(),
    records,
    setup: new Setup(records),
    load: async () => {
      await loads.begin()
      return async () =>
        openAccounts({
          secret: 'x'.repeat(40),
          registration: 'open',
          cookiePrefix: 'better-auth',
          database: recordDatabase(records, () => {}),
        })
    },
  }

  test('wait for their code to load, however long that takes', async () => {
    await serve(new AccountsAdapter(parts))
    const browser = new Browser(service)
    const registering = browser.register()
    await loads.begun.reaches(1)
    await pass(20)
    loads.finish()
    // The loaded code opens the accounts, so the second call returns at once.
    await loads.begun.reaches(2)
    loads.finish()
    vi.useRealTimers()
    expect((await registering).status).toBe(201)
    expect((await browser.session()).authenticated).toBe(true)
  })

  test('are not loaded for other cookies', async () => {
    await serve(new AccountsAdapter(parts))
    expect(await session(FOREIGN_COOKIE)).toBe(200)
    expect(loads.begun.count).toBe(0)
  })
})

test('the conformance suite loads an adapter once, before the checks', async () => {
  await serve(adapter)
  const subject: AuthAdapterSubject = { adapter, valid: () => COOKIE }
  const [first] = authAdapterConformance(subject).filter(({ name }) => name.startsWith('session: a valid credential'))
  const run = first?.run()
  await loads.begun.reaches(1)
  expect(calls).toEqual([])
  loads.finish()
  await run
  expect(calls).toEqual(['principal', 'identity'])
})
