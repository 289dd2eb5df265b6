import type { AuthAdapter, AuthContext, Identity } from 'daybook'
import { type AuthAdapterSubject, authAdapterConformance } from 'daybook/testing'
import { afterAll, describe, expect, test } from 'vitest'
import { ADAPTERS } from '../support/auth/auth-adapters.ts'

describe.each(ADAPTERS)('$name satisfies the interface', async ({ open }) => {
  const subject = await open()
  afterAll(() => subject[Symbol.asyncDispose]())
  test.each(authAdapterConformance(subject))('$name', ({ run }) => run())
})

const SESSIONS: ReadonlyMap<string, string> = new Map([
  ['session-of-mia', 'mia'],
  ['session-of-ann', 'ann'],
])

const sessionIdOf = ({ headers }: AuthContext): string => /^sid=([^;]+)$/.exec(headers.get('cookie') ?? '')?.[1] ?? ''

const identityOf = (sessionId: string, subject: string): Identity => ({
  provider: 'own',
  subject,
  sessionId,
  actorType: 'human',
  expiresAt: null,
  claims: {},
  roles: ['editor'],
})

/** An adapter that passes every check. */
const sound: AuthAdapter = {
  getCapabilities: () => ({ provider: 'own', providerRoutes: { enabled: true, basePath: '/api/auth' } }),
  getPrincipal: async (context) => {
    const id = SESSIONS.get(sessionIdOf(context))
    return id === undefined ? null : { id }
  },
  getIdentity: async (context) => {
    const sessionId = sessionIdOf(context)
    const subject = SESSIONS.get(sessionId)
    return subject === undefined ? null : identityOf(sessionId, subject)
  },
  invoke: async (action) => (action === 'greet' ? Response.json({}) : null),
  handleRequest: async () => new Response(null, { status: 404 }),
}

const subjectOf = (adapter: AuthAdapter): AuthAdapterSubject => ({
  adapter,
  valid: () => ({ cookie: 'sid=session-of-mia' }),
  other: () => ({ cookie: 'sid=session-of-ann' }),
})

async function failuresOf(adapter: AuthAdapter): Promise<readonly string[]> {
  const failures: string[] = []
  for (const { name, run } of authAdapterConformance(subjectOf(adapter))) await run().catch(() => failures.push(name))
  return failures
}

/** The sound adapter, with identities of another kind. */
const withIdentity = (change: (identity: Identity) => unknown): Partial<AuthAdapter> => ({
  getIdentity: async (context) => {
    const identity = await sound.getIdentity(context)
    return identity && (change(identity) as Identity)
  },
})

const withCapabilities = (capabilities: unknown): Partial<AuthAdapter> => ({
  getCapabilities: () => capabilities as never,
})

const ROUTES = { enabled: true, basePath: '/api/auth' }
const WELL_FORMED_IDENTITY = 'session: the identity is well-formed'
const WELL_FORMED_CAPABILITIES = 'capabilities: are well-formed'
const TWO_PEOPLE = 'session: another person is another subject in another session'

let calls = 0

const broken: readonly (readonly [name: string, parts: Partial<AuthAdapter>, check: string])[] = [
  [
    'throws for an unknown scheme',
    {
      getPrincipal: async (context) =>
        context.headers.get('authorization')?.startsWith('Odd')
          ? Promise.reject(new Error('oops'))
          : sound.getPrincipal(context),
    },
    'anonymous: an unknown scheme',
  ],
  [
    'throws at broken escapes',
    {
      getPrincipal: async (context) => {
        decodeURIComponent(context.headers.get('cookie') ?? '')
        return sound.getPrincipal(context)
      },
    },
    'anonymous: a cookie with broken escapes',
  ],
  [
    'looks at the beginning of a session alone',
    {
      getPrincipal: async (context) => (sessionIdOf(context).startsWith('session-of-') ? { id: 'mia' } : null),
      getIdentity: async (context) => (sessionIdOf(context).startsWith('session-of-') ? identityOf('s', 'mia') : null),
    },
    'anonymous: a valid credential with one character changed',
  ],
  [
    'takes anyone without a credential for a guest',
    {
      getPrincipal: async (context) =>
        (await sound.getPrincipal(context)) ??
        (context.headers.has('cookie') || context.headers.has('authorization') ? null : { id: 'guest' }),
    },
    'anonymous: no credential',
  ],
  [
    'answers undefined for nobody',
    { getPrincipal: async (context) => ((await sound.getPrincipal(context)) ?? undefined) as never },
    'anonymous: no credential',
  ],
  [
    'believes what is not signed',
    {
      getPrincipal: async (context) =>
        /^Bearer .*\.$/.test(context.headers.get('authorization') ?? '')
          ? { id: 'admin' }
          : sound.getPrincipal(context),
    },
    'anonymous: a token without a signature',
  ],
  [
    'knows the principal alone',
    { getIdentity: async () => null },
    'session: a valid credential has a principal and an identity',
  ],
  [
    'gives a text as principal',
    { getPrincipal: async (context) => ((await sound.getPrincipal(context)) && 'mia') as never },
    'session: a valid credential has a principal and an identity',
  ],
  [
    'gives a principal that JSON cannot tell',
    { getPrincipal: async (context) => (await sound.getPrincipal(context)) && { id: 1n } },
    'session: principal and identity can be written as JSON',
  ],
  ['names another provider', withIdentity((identity) => ({ ...identity, provider: 'x' })), WELL_FORMED_IDENTITY],
  ['gives a number as subject', withIdentity((identity) => ({ ...identity, subject: 1 })), WELL_FORMED_IDENTITY],
  ['gives no session', withIdentity((identity) => ({ ...identity, sessionId: '' })), WELL_FORMED_IDENTITY],
  [
    'knows another type of actor',
    withIdentity((identity) => ({ ...identity, actorType: 'robot' })),
    WELL_FORMED_IDENTITY,
  ],
  [
    'gives seconds as expiry',
    withIdentity((identity) => ({ ...identity, expiresAt: 9_999_999_999 })),
    WELL_FORMED_IDENTITY,
  ],
  [
    'gives a local time as expiry',
    withIdentity((identity) => ({ ...identity, expiresAt: '2999-01-01T00:00:00' })),
    WELL_FORMED_IDENTITY,
  ],
  [
    'gives a session that is over',
    withIdentity((identity) => ({ ...identity, expiresAt: '2020-01-01T00:00:00Z' })),
    WELL_FORMED_IDENTITY,
  ],
  ['gives no claims', withIdentity(({ claims: _claims, ...identity }) => identity), WELL_FORMED_IDENTITY],
  ['gives roles as text', withIdentity((identity) => ({ ...identity, roles: 'editor' })), WELL_FORMED_IDENTITY],
  [
    'gives each answer a session of its own',
    withIdentity((identity) => ({ ...identity, sessionId: String(calls++) })),
    'session: the same credential is the same session, in whatever order it is asked about',
  ],
  ['gives all people one session', withIdentity((identity) => ({ ...identity, sessionId: 's' })), TWO_PEOPLE],
  ['gives all people one subject', withIdentity((identity) => ({ ...identity, subject: 'x' })), TWO_PEOPLE],
  [
    'changes headers',
    {
      getPrincipal: async (context) => {
        context.headers.delete('cookie')
        return null
      },
    },
    'anonymous: a cookie of another',
  ],
  ['promises capabilities', withCapabilities(Promise.resolve(sound.getCapabilities())), WELL_FORMED_CAPABILITIES],
  ['has no provider', withCapabilities({ providerRoutes: ROUTES }), WELL_FORMED_CAPABILITIES],
  ['has no provider routes', withCapabilities({ provider: 'own' }), WELL_FORMED_CAPABILITIES],
  [
    'has a base path that ends with a slash',
    withCapabilities({ provider: 'own', providerRoutes: { ...ROUTES, basePath: '/api/auth/' } }),
    WELL_FORMED_CAPABILITIES,
  ],
  [
    'has a base path that is a pattern',
    withCapabilities({ provider: 'own', providerRoutes: { ...ROUTES, basePath: '/api/:any' } }),
    WELL_FORMED_CAPABILITIES,
  ],
  [
    'has routes without a base path',
    withCapabilities({ provider: 'own', providerRoutes: { enabled: true } }),
    WELL_FORMED_CAPABILITIES,
  ],
  [
    'has flags that are texts',
    withCapabilities({ provider: 'own', providerRoutes: ROUTES, supportsAnonymous: 'no' }),
    WELL_FORMED_CAPABILITIES,
  ],
  [
    'does not know its own credentials',
    { hasCredential: () => false },
    'session: a valid credential has a principal and an identity',
  ],
  [
    'does not load',
    { load: () => Promise.reject(new Error('oops')) },
    'session: a valid credential has a principal and an identity',
  ],
  [
    'changes its capabilities',
    {
      getCapabilities: () => ({
        provider: 'own',
        providerRoutes: { enabled: calls++ % 2 === 0, basePath: '/api/auth' },
      }),
    },
    'capabilities: are the same each time',
  ],
  ['answers every action', { invoke: async () => Response.json({}) }, 'actions: one that it does not know is null'],
  [
    'finds actions in every object',
    { invoke: async (action) => (action in {} ? Response.json({}) : null) },
    'actions: one that it does not know is null',
  ],
  [
    'answers every address',
    { handleRequest: async () => Response.json({}) },
    'provider routes: an address that it does not know is refused, by a Response',
  ],
  [
    'throws at an address',
    { handleRequest: () => Promise.reject(new Error('oops')) },
    'provider routes: an address that it does not know is refused, by a Response',
  ],
]

describe('the suite', () => {
  test('passes a sound adapter, and has unique names of checks', async () => {
    expect(await failuresOf(sound)).toEqual([])
    const names = authAdapterConformance(subjectOf(sound)).map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
  })

  test('leaves out checks of optional members that an adapter lacks', () => {
    const { invoke: _invoke, handleRequest: _handleRequest, ...small } = sound
    const names = authAdapterConformance(subjectOf(small)).map(({ name }) => name)
    expect(names.filter((name) => /^(?:actions|provider routes)/.test(name))).toEqual([])
  })

  test.each(broken)('fails an adapter that %s', async (_name, parts, check) => {
    expect(await failuresOf({ ...sound, ...parts })).toContain(check)
  })

  test('runs checks with the credentials of its options', async () => {
    const subject = {
      ...subjectOf(sound),
      invalid: { 'a session that was ended': () => ({ cookie: 'sid=session-of-ann' }) },
    }
    const check = authAdapterConformance(subject).find(({ name }) => name === 'anonymous: a session that was ended')
    await expect(check?.run()).rejects.toThrow('Without a valid credential, principal and identity must be null.')
  })
})
