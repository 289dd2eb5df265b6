import {
  type AuthAdapter,
  defineCollection,
  defineConfig,
  f,
  hasRole,
  type Identity,
  isAuthenticated,
  SILENT,
} from 'daybook'
import { betterAuth } from 'daybook/better-auth'
import { type Listening, serve } from 'daybook/node'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { AccountManager } from '../../src/auth/account-manager.ts'
import type { AuthSource } from '../../src/auth/adapter.ts'
import { ApiTokens } from '../../src/auth/api-tokens.ts'
import { Browser, PASSWORD } from '../auth/browser.ts'
import { identityOf } from '../support/auth/people.ts'
import { EventReader } from '../support/network/event-reader.ts'
import { listen } from '../support/network/listening.ts'
import { create, type Place } from '../support/stores/place.ts'
import { STORES } from '../support/stores/stores.ts'
import { eventually, SLOW_MACHINE_LIMITS } from '../support/timeouts.ts'

/** Longer than any test: no heartbeat ends a stream. */
const HEARTBEAT_MS = 3_600_000
const limits = { ...SLOW_MACHINE_LIMITS, signInsPerMinute: 10_000, heartbeatMs: HEARTBEAT_MS }
const collections = {
  posts: defineCollection({ fields: { title: f.text() } }),
  internal: defineCollection({ fields: { title: f.text() }, access: { read: isAuthenticated } }),
  edited: defineCollection({ fields: { title: f.text() }, access: { read: hasRole('editor') } }),
}
const source: AuthSource = betterAuth()
const config = defineConfig({ auth: source, collections, limits })

type Credential = Readonly<Record<string, string>>
type Node = Listening & { readonly service: Awaited<ReturnType<Place['open']>> }

const cookieOf = ({ cookies }: Browser): Credential => ({
  Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
})

async function openStream({ url }: Pick<Listening, 'url'>, headers: Credential = {}, query = ''): Promise<EventReader> {
  const response = await fetch(`${url}/api/cms/events${query}`, { headers })
  expect(response.status).toBe(200)
  const reader = new EventReader(response)
  await reader.begun()
  return reader
}

describe.each(STORES)('live events of a session on two nodes on $name', ({ at }) => {
  let place: Place
  const nodes: Node[] = []
  const readers: EventReader[] = []
  let email: string
  let count = 0

  beforeAll(async () => {
    place = await at()
    for (const _count of [1, 2]) {
      const service = await place.open(config)
      nodes.push({ ...(await serve(service, { port: 0 })), service })
    }
    await manage((accounts) =>
      accounts.create({ email: 'root@example.org', name: 'Root', password: PASSWORD, roles: ['admin'] }),
    )
  })
  beforeEach(() => {
    count += 1
    email = `ines${count}@example.org`
  })
  afterEach(async () => {
    for (const reader of readers.splice(0)) await reader[Symbol.asyncDispose]()
  })
  afterAll(async () => {
    for (const node of nodes) await node.stop(100)
    await place[Symbol.asyncDispose]()
  })

  const firstNode = (): Node => nodes[0] as Node

  /** Changes accounts directly in the store, as the command line does. */
  async function manage(work: (accounts: AccountManager) => Promise<unknown>): Promise<void> {
    const store = await place.store()
    try {
      const accounts = await source.manage?.({ records: store.records, log: SILENT })
      if (!accounts) throw new Error('The config has no accounts to manage.')
      await work(accounts)
    } finally {
      await store.close()
    }
  }

  async function signIn(address: string): Promise<Browser> {
    const browser = new Browser(firstNode().service)
    expect((await browser.login(address)).status).toBe(200)
    return browser
  }

  async function openStreams(credential: Credential, query = '?collections=posts,internal'): Promise<EventReader[]> {
    const streams = await Promise.all(nodes.map((node) => openStream(node, credential, query)))
    readers.push(...streams)
    return streams
  }

  const post = async (browser: Browser, path: string, json: unknown): Promise<void> => {
    expect((await browser.send(path, { json })).status).toBe(200)
  }

  interface Person {
    readonly browser: Browser
    readonly userId: string
    readonly sessionId: string
  }

  const WAYS: Readonly<Record<string, (person: Person) => Promise<void>>> = {
    'its sign-out': async ({ browser }) => {
      expect((await browser.action('logout')).status).toBe(204)
    },
    'a password change by the user': ({ browser }) =>
      post(browser, '/api/auth/change-password', { currentPassword: PASSWORD, newPassword: 'another long one' }),
    'a new password from an administrator': async ({ userId }) =>
      post(await signIn('root@example.org'), '/api/auth/admin/set-user-password', {
        userId,
        newPassword: 'another long one',
      }),
    'a revocation of all sessions by an administrator': async ({ userId }) =>
      post(await signIn('root@example.org'), '/api/auth/admin/revoke-user-sessions', { userId }),
    'a revocation of this session from another one': async ({ sessionId }) =>
      post(await signIn(email), '/api/auth/revoke-session', { sessionId }),
    'a ban by an administrator': async ({ userId }) =>
      post(await signIn('root@example.org'), '/api/auth/admin/ban-user', { userId }),
    'the removal of the account': async ({ userId }) =>
      post(await signIn('root@example.org'), '/api/auth/admin/remove-user', { userId }),
    'a ban from the command line': () => manage((accounts) => accounts.setBanned(email, true)),
    'a new password from the command line': () => manage((accounts) => accounts.setPassword(email, 'another long one')),
  }

  test.each(Object.keys(WAYS))('end after %s, and streams of others continue', async (way) => {
    const browser = new Browser(firstNode().service)
    expect((await browser.register(email)).status).toBe(201)
    const stranger = new Browser(firstNode().service)
    expect((await stranger.register(`mia${count}@example.org`)).status).toBe(201)
    const { identity } = await browser.session()
    const ended = await openStreams(cookieOf(browser))
    const otherStreams = [...(await openStreams(cookieOf(stranger))), ...(await openStreams({}, ''))]

    const { subject, sessionId } = identity as unknown as Identity
    await WAYS[way]?.({ browser, userId: subject, sessionId })
    expect(await Promise.all(ended.map((reader) => reader.next()))).toEqual([undefined, undefined])
    const { id } = await create(firstNode().service, 'posts', { title: 'Later' })
    const events = await Promise.all(otherStreams.map((reader) => reader.next()))
    expect(events).toEqual(otherStreams.map(() => expect.objectContaining({ data: expect.objectContaining({ id }) })))
  })

  test('end when a change of roles changes the view', async () => {
    const browser = new Browser(firstNode().service)
    await browser.register(email)
    await manage((accounts) => accounts.setRoles(email, ['editor']))
    await eventually(async () => {
      const response = await browser.send('/api/edited')
      expect(response.status).toBe(200)
      expect(((await browser.session()).identity as unknown as Identity).roles).toEqual(['editor'])
    })
    const ended = await openStreams(cookieOf(browser), '')
    await manage((accounts) => accounts.setRoles(email, ['user']))
    expect(await Promise.all(ended.map((reader) => reader.next()))).toEqual([undefined, undefined])
  })

  test('end with the revocation of the token, over HTTP and from the command line', async () => {
    const admin = await signIn('root@example.org')
    const makeToken = async (name: string): Promise<{ readonly id: string; readonly token: string }> => {
      const response = await admin.send('/api/cms/auth/tokens', { json: { name, scopes: ['*:read'] } })
      expect(response.status).toBe(201)
      return JSON.parse(response.text)
    }
    const [first, second] = [await makeToken('first'), await makeToken('second')]
    const streams = await openStreams({ Authorization: `Bearer ${first.token}` })
    const otherStreams = await openStreams({ Authorization: `Bearer ${second.token}` })
    expect((await admin.send(`/api/cms/auth/tokens/${first.id}`, { method: 'DELETE' })).status).toBe(204)
    expect(await Promise.all(streams.map((reader) => reader.next()))).toEqual([undefined, undefined])
    await create(firstNode().service, 'posts', { title: 'Later' })
    for (const reader of otherStreams) expect(await reader.next()).toMatchObject({ event: 'upsert' })
    const store = await place.store()
    expect(await new ApiTokens(store.records).revoke('second')).toBe(true)
    await store.close()
    expect(await Promise.all(otherStreams.map((reader) => reader.next()))).toEqual([undefined, undefined])
  })

  test('end when the token expires', async () => {
    const store = await place.store()
    const tokens = new ApiTokens(store.records)
    let attempt = 0
    // On a busy machine, a token may expire before its streams are open.
    const streams = await eventually(async () => {
      attempt += 1
      const expiresAt = new Date(Date.now() + 2000).toISOString()
      const { token } = await tokens.create({ name: `t${attempt}`, scopes: ['*:read'], roles: ['service'], expiresAt })
      return openStreams({ Authorization: `Bearer ${token}` })
    })
    await store.close()
    expect(await Promise.all(streams.map((reader) => reader.next()))).toEqual([undefined, undefined])
  })
})

describe('live events of accounts in memory', () => {
  test('end with the sign-out', async () => {
    await using listening = await listen({ collections, limits })
    const browser = new Browser(listening.service)
    await browser.register()
    await using stream = await openStream(listening, cookieOf(browser), '?collections=internal')
    await browser.action('logout')
    expect(await stream.next()).toBeUndefined()
  })
})

// The adapter is the same for every store.
describe('live events of an adapter in the config', () => {
  const MIA = { Authorization: 'Bearer mia' }

  /** Creates an adapter with one session, which counts its calls. */
  function adapterFor(identity: () => Identity | null) {
    const listeners = new Set<() => void>()
    const calls = { identity: 0 }
    const adapter: AuthAdapter = {
      getCapabilities: () => ({ provider: 'custom', providerRoutes: { enabled: false } }),
      getPrincipal: async () => (identity() ? { id: 'mia' } : null),
      getIdentity: async () => {
        calls.identity += 1
        return identity()
      },
      onSessionChange: (listener) => {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
    }
    return { adapter, listeners, calls }
  }

  test('end when the adapter reports a change; one check serves many reports', async () => {
    let identity: Identity | null = identityOf('mia')
    const { adapter, listeners, calls } = adapterFor(() => identity)
    const report = (): void => {
      for (const listener of listeners) listener()
    }
    await using listening = await listen({ auth: adapter, collections, limits })
    const stream = await openStream(listening, MIA, '?collections=internal')
    await eventually(() => expect(calls.identity).toBe(2))
    for (let count = 0; count < 100; count += 1) report()
    await eventually(() => expect(calls.identity).toBe(3))
    identity = null
    report()
    expect(await stream.next()).toBeUndefined()
    expect(calls.identity).toBe(4)
    await eventually(() => expect(listeners.size).toBe(0))
  })

  test('end when another person takes the session over', async () => {
    let identity = identityOf('mia')
    const { adapter, listeners } = adapterFor(() => identity)
    await using listening = await listen({ auth: adapter, collections, limits })
    const stream = await openStream(listening, MIA, '?collections=internal')
    identity = { ...identity, subject: 'ines' }
    for (const listener of listeners) listener()
    expect(await stream.next()).toBeUndefined()
  })

  test('end when the session expires, unless it has been renewed', async () => {
    const lasting = (ms: number): Identity => ({
      ...identityOf('mia'),
      expiresAt: new Date(Date.now() + ms).toISOString(),
    })
    let first: Identity | undefined
    let isRenewed = true
    const { adapter, calls } = adapterFor(() => {
      first ??= lasting(1500)
      return isRenewed ? lasting(1500) : first
    })
    const { onSessionChange: _left, ...plain } = adapter
    await using listening = await listen({ auth: plain, collections, limits })
    const stream = await openStream(listening, MIA, '?collections=posts,internal')
    await eventually(() => expect(calls.identity).toBeGreaterThanOrEqual(4))
    await create(listening.service, 'posts', { title: 'Later' })
    expect(await stream.next()).toMatchObject({ event: 'upsert' })
    isRenewed = false
    expect(await stream.next()).toBeUndefined()
  })

  test.each([
    [
      'throws',
      () => {
        throw new Error('oops: internals')
      },
    ],
    ['returns no function', () => undefined],
  ])('do not begin when onSessionChange %s', async (_case, onSessionChange) => {
    const { adapter } = adapterFor(() => identityOf('mia'))
    await using listening = await listen({
      auth: { ...adapter, onSessionChange: onSessionChange as never },
      collections,
      limits,
    })
    const response = await fetch(`${listening.url}/api/cms/events`, { headers: MIA })
    expect(response.status).toBe(503)
    expect(await response.text()).not.toContain('internals')
  })
})
