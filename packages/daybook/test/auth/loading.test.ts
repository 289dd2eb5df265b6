import { type AuthAdapter, type AuthContext, defineCollection, defineConfig, f } from 'daybook'
import { type AuthAdapterSubject, authAdapterConformance, createTestService, type TestService } from 'daybook/testing'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { AccountsAdapter, type AccountsParts } from '../../src/auth/accounts/accounts-adapter.ts'
import { openAccounts } from '../../src/auth/accounts/better-auth.ts'
import { recordDatabase } from '../../src/auth/accounts/record-database.ts'
import { SessionCache } from '../../src/auth/session-cache.ts'
import { MemoryDatabase } from '../../src/store/sqlite/memory-database.ts'
import { Store } from '../../src/store/store.ts'
import { identityOf } from '../support/auth/people.ts'
import { Browser } from './browser.ts'

// Where an adapter is loaded, no store is asked: one is enough.

const COOKIE = { cookie: 'sid=mia' }
const FOREIGN_COOKIE = { cookie: '_ga=1' }

/** Counts how often something happens. */
class Tally {
  #count = 0
  readonly #waiting: { readonly count: number; readonly resolve: () => void }[] = []

  get count(): number {
    return this.#count
  }

  add(): void {
    this.#count += 1
    for (const { count, resolve } of this.#waiting) if (count === this.#count) resolve()
  }

  /** Waits until it has happened so often. */
  async reaches(count: number): Promise<void> {
    if (this.#count < count) await new Promise<void>((resolve) => this.#waiting.push({ count, resolve }))
  }
}

/** Loads that begin when they are asked for, and end when the test says so. */
class HeldLoads {
  readonly begun = new Tally()
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

/** What an adapter was asked, in this order. */
let asked: string[] = []
/** Requests that it has seen, loaded or not. */
let seen: Tally
/** Whether it was asked who somebody is. */
let identified: Tally
let loads: HeldLoads

const note = <T>(question: string, answer: T): T => {
  asked.push(question)
  return answer
}

const isMia = ({ headers }: AuthContext): boolean => headers.get('cookie') === COOKIE.cookie

/** An adapter that cannot answer before it is loaded. */
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

/** Lets minutes pass for timers alone; the clock of a request is one. */
const pass = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1000)

let service: TestService<ReturnType<typeof configOf>>

async function serve(auth: AuthAdapter): Promise<void> {
  service = await createTestService(configOf(auth))
}

beforeEach(() => {
  asked = []
  seen = new Tally()
  identified = new Tally()
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
    async (_what, ask, questions) => {
      const status = ask()
      await loads.begun.reaches(1)
      await pass(29)
      expect(asked).toEqual([])
      loads.finish()
      expect(await status).toBe(200)
      expect(asked).toEqual(questions)
    },
  )

  test('is loaded once: all who come meanwhile wait for the same load, and those after it for none', async () => {
    const statuses = Promise.all([session(), session(), action(), route(), session()])
    await loads.begun.reaches(1)
    loads.finish()
    expect(await statuses).toEqual([200, 200, 200, 200, 200])
    expect([await session(), await action()]).toEqual([200, 200])
    expect(loads.begun.count).toBe(1)
  })

  test('answers 503 to all who waited for a load that failed, and the next one loads again', async () => {
    const waiting = Promise.all([session(), session(), session()])
    await seen.reaches(3)
    loads.fail()
    expect(await waiting).toEqual([503, 503, 503])
    expect(asked).toEqual([])
    const next = session()
    await loads.begun.reaches(2)
    loads.finish()
    expect(await next).toBe(200)
  })

  test('lets nobody in when it never loads, and is loaded again by the next request', async () => {
    const waiting = session()
    await loads.begun.reaches(1)
    await pass(30)
    expect(await waiting).toBe(503)
    expect(asked).toEqual([])
    const next = session()
    await loads.begun.reaches(2)
    loads.finish()
    expect(await next).toBe(200)
  })

  test('is waited for by nobody who has no credential of its kind', async () => {
    const held = session()
    await loads.begun.reaches(1)
    const service = { authorization: `Bearer ${'x'.repeat(40)}` }
    for (const headers of [{}, FOREIGN_COOKIE, service]) {
      expect([await session(headers), await send('/api/notes', { headers })]).toEqual([200, 200])
    }
    expect(asked).toEqual([])
    loads.finish()
    expect(await held).toBe(200)
  })

  test('is not loaded for those who have no credential of its kind', async () => {
    for (const headers of [{}, FOREIGN_COOKIE]) expect(await session(headers)).toBe(200)
    expect(loads.begun.count).toBe(0)
  })
})

test('an adapter that has loaded has two seconds for an answer, the first one as well (A15)', async () => {
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
])('nobody gets in when %s', async (_name, parts) => {
  await serve({ ...adapter, ...parts })
  expect(await session()).toBe(503)
  expect(asked).toEqual([])
})

describe('accounts', () => {
  const { records } = new Store(new MemoryDatabase())
  const parts: AccountsParts = {
    registration: 'open',
    cookiePrefix: 'better-auth',
    sessions: new SessionCache(),
    records,
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

  test('take the first one in when their code has loaded, however long that takes', async () => {
    await serve(new AccountsAdapter(parts))
    const browser = new Browser(service)
    const registering = browser.register()
    await loads.begun.reaches(1)
    await pass(20)
    loads.finish()
    // The accounts are opened by what was loaded: asked for again, it is there at once.
    await loads.begun.reaches(2)
    loads.finish()
    vi.useRealTimers()
    expect((await registering).status).toBe(201)
    expect((await browser.session()).authenticated).toBe(true)
  })

  test('are not loaded for cookies of others', async () => {
    await serve(new AccountsAdapter(parts))
    expect(await session(FOREIGN_COOKIE)).toBe(200)
    expect(loads.begun.count).toBe(0)
  })
})

test('the conformance suite loads an adapter once, before it asks', async () => {
  await serve(adapter)
  const subject: AuthAdapterSubject = { adapter, valid: () => COOKIE }
  const [first] = authAdapterConformance(subject).filter(({ name }) => name.startsWith('session: a valid credential'))
  const run = first?.run()
  await loads.begun.reaches(1)
  expect(asked).toEqual([])
  loads.finish()
  await run
  expect(asked).toEqual(['principal', 'identity'])
})
