import { deepStrictEqual } from 'node:assert/strict'
import type { AuthAdapter, AuthContext, Identity, Principal } from '../auth/adapter.ts'
import { DaybookError } from '../errors.ts'
import { assertCapabilities, assertConforms, assertIdentity, isObjectValue, toJson } from './auth-assertions.ts'
import {
  alterCredential,
  type CredentialHeaders,
  INVALID_CREDENTIALS,
  NO_CREDENTIAL,
  repeatAuthorization,
} from './invalid-credentials.ts'

/** Creates the headers of a request. */
type CreateHeaders = () => CredentialHeaders | Promise<CredentialHeaders>

/** An auth adapter to check, and credentials for it. */
export interface AuthAdapterSubject {
  readonly adapter: AuthAdapter
  /** Headers of a request with a session: the credential, and nothing else. Called anew for each check. */
  readonly valid: CreateHeaders
  /** Headers of a session of another person. @default none; checks with two people are left out */
  readonly other?: CreateHeaders
  /** Invalid credentials of your adapter by name: expired, revoked, signed by another issuer. */
  readonly invalid?: Readonly<Record<string, CreateHeaders>>
}

/** A check of one rule of an interface. */
export interface ConformanceCheck {
  readonly name: string
  /** @throws {Error} if the rule is broken, with the actual behaviour */
  run(): Promise<void>
}

/** The number of concurrent requests. */
const CONCURRENCY = 50
/** Names of actions that no adapter has; some are properties of every object. */
const UNKNOWN_ACTIONS = ['daybookHasNoSuchAction', 'constructor', '__proto__', 'toString', '../login', 'login\n']

/**
 * The contract of {@link AuthAdapter}, as checks for any test runner.
 *
 * @example
 * ```ts
 * import { test } from 'node:test'
 * import { authAdapterConformance } from 'daybook/testing'
 *
 * const valid = () => ({ cookie: `sid=${signIn('mia')}` })
 * for (const { name, run } of authAdapterConformance({ adapter, valid })) test(name, run)
 * ```
 */
export function authAdapterConformance(subject: AuthAdapterSubject): readonly ConformanceCheck[] {
  const checked: CheckedAdapter = { ...subject, load: once(async () => subject.adapter.load?.()) }
  return [
    ...capabilityChecks(checked),
    ...anonymousChecks(checked),
    ...sessionChecks(checked),
    ...actionChecks(checked),
    ...nameChecks(checked),
    ...callerChecks(checked),
  ]
}

interface CheckedAdapter extends AuthAdapterSubject {
  /** Loads the adapter once, before it is used, like the service. */
  load(): Promise<void>
}

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let first: Promise<T> | undefined
  return () => {
    first ??= work()
    return first
  }
}

/** The results of an adapter for one request. */
interface AdapterResults {
  readonly principal: Principal | null
  readonly identity: Identity | null
}

function toContext(headers: CredentialHeaders): AuthContext {
  return { headers: new Headers(headers), address: '192.0.2.1', origin: 'https://cms.example.org' }
}

/** Authenticates like the service: only possible credentials, after loading, with concurrent calls for the same context. */
async function authenticate({ adapter, load }: CheckedAdapter, headers: CredentialHeaders): Promise<AdapterResults> {
  const context = toContext(headers)
  const before = [...context.headers]
  if (adapter.hasCredential?.(context) === false) return { principal: null, identity: null }
  await load()
  const [principal, identity] = await Promise.all([adapter.getPrincipal(context), adapter.getIdentity(context)])
  deepStrictEqual([...context.headers], before, 'The adapter must not change the headers.')
  return { principal, identity }
}

function capabilityChecks({ adapter }: AuthAdapterSubject): readonly ConformanceCheck[] {
  return [
    {
      name: 'capabilities: are well-formed',
      run: async () => assertCapabilities(adapter.getCapabilities(), adapter),
    },
    {
      name: 'capabilities: are the same each time',
      run: async () => {
        const [first, second] = [adapter.getCapabilities(), adapter.getCapabilities()]
        deepStrictEqual(toJson(second, 'The result of getCapabilities'), toJson(first, 'The result of getCapabilities'))
      },
    },
  ]
}

function anonymousChecks(subject: CheckedAdapter): readonly ConformanceCheck[] {
  const expectAnonymous = (name: string, createHeaders: CreateHeaders): ConformanceCheck => ({
    name: `anonymous: ${name}`,
    run: async () => {
      const results = await authenticate(subject, await createHeaders())
      deepStrictEqual(
        results,
        { principal: null, identity: null },
        'Without a valid credential, principal and identity must be null.',
      )
    },
  })
  return [
    expectAnonymous('no credential', () => NO_CREDENTIAL),
    ...Object.entries(INVALID_CREDENTIALS).map(([name, headers]) => expectAnonymous(name, () => headers)),
    ...Object.entries(subject.invalid ?? {}).map(([name, createHeaders]) => expectAnonymous(name, createHeaders)),
    expectAnonymous('a valid Authorization sent twice', async () => repeatAuthorization(await subject.valid())),
    {
      name: 'anonymous: a valid credential with one character changed',
      run: async () => {
        for (const headers of alterCredential(await subject.valid())) {
          const results = await authenticate(subject, headers)
          deepStrictEqual(results, { principal: null, identity: null }, 'A changed credential must not be valid.')
        }
      },
    },
  ]
}

function sessionChecks(subject: CheckedAdapter): readonly ConformanceCheck[] {
  const { adapter, valid, other, load } = subject
  const provider = (): string => adapter.getCapabilities().provider
  return [
    {
      name: 'session: a valid credential has a principal and an identity',
      run: async () => {
        const { principal, identity } = await authenticate(subject, await valid())
        assertConforms(isObjectValue(principal), 'getPrincipal must return an object.')
        assertConforms(isObjectValue(identity), 'getIdentity must return an identity.')
      },
    },
    {
      name: 'session: the identity is well-formed',
      run: async () => assertIdentity((await authenticate(subject, await valid())).identity, provider()),
    },
    {
      name: 'session: principal and identity can be written as JSON',
      run: async () => {
        const { principal, identity } = await authenticate(subject, await valid())
        assertConforms(
          isObjectValue(toJson(principal, 'The principal')),
          'The principal must be an object as JSON, too.',
        )
        assertConforms(isObjectValue(toJson(identity, 'The identity')), 'The identity must be an object as JSON, too.')
      },
    },
    {
      name: 'session: the same credential is the same session, in whatever order it is asked about',
      run: async () => {
        const headers = await valid()
        const first = await authenticate(subject, headers)
        const context = toContext(headers)
        await load()
        const identity = await adapter.getIdentity(context)
        const principal = await adapter.getPrincipal(context)
        deepStrictEqual(getStableParts({ principal, identity }), getStableParts(first))
      },
    },
    {
      name: 'session: concurrent requests with and without a session are not mixed up',
      run: () => assertIndependent(subject),
    },
    ...(other === undefined ? [] : [checkTwoPeople(subject, other)]),
  ]
}

/** The stable parts of a session; each use may extend its expiry. */
const getStableParts = ({ principal, identity }: AdapterResults): unknown => [
  principal,
  identity && { ...identity, expiresAt: identity.expiresAt === null },
]

const checkTwoPeople = (subject: CheckedAdapter, other: CreateHeaders): ConformanceCheck => ({
  name: 'session: another person is another subject in another session',
  run: async () => {
    const [first, second] = [
      await authenticate(subject, await subject.valid()),
      await authenticate(subject, await other()),
    ]
    assertConforms(second.principal !== null && second.identity !== null, 'The other person must have a session, too.')
    assertConforms(first.identity?.subject !== second.identity.subject, 'Two people must have different subjects.')
    assertConforms(first.identity?.sessionId !== second.identity.sessionId, 'Two people must have different sessions.')
  },
})

async function assertIndependent(subject: CheckedAdapter): Promise<void> {
  const requests = [
    await subject.valid(),
    NO_CREDENTIAL,
    ...(subject.other ? [await subject.other()] : []),
    { authorization: 'Bearer x' },
  ]
  const alone: AdapterResults[] = []
  for (const headers of requests) alone.push(await authenticate(subject, headers))
  const order = Array.from({ length: CONCURRENCY }, (_, index) => index % requests.length)
  const results = await Promise.all(order.map((place) => authenticate(subject, requests[place] as CredentialHeaders)))
  deepStrictEqual(
    results.map(getStableParts),
    order.map((place) => getStableParts(alone[place] as AdapterResults)),
    'Concurrent requests must have the same results as separate ones.',
  )
}

function actionChecks({ adapter, load }: CheckedAdapter): readonly ConformanceCheck[] {
  const { invoke, handleRequest } = adapter
  const actions: ConformanceCheck = {
    name: 'actions: one that it does not know is null',
    run: async () => {
      await load()
      for (const name of UNKNOWN_ACTIONS) {
        deepStrictEqual(
          await invoke?.call(adapter, name, {}, toContext(NO_CREDENTIAL)),
          null,
          `The action "${name}" does not exist.`,
        )
      }
    },
  }
  const routes: ConformanceCheck = {
    name: 'provider routes: an address that it does not know is refused, by a Response',
    run: async () => {
      const { enabled, basePath } = adapter.getCapabilities().providerRoutes
      if (!enabled) return
      await load()
      const context = toContext(NO_CREDENTIAL)
      const request = new Request(`${context.origin}${basePath}/daybook-has-no-such-route`)
      const response = await catchRejection(async () => handleRequest?.call(adapter, request, context))
      assertConforms(
        response.status >= 400 && response.status < 500,
        `It responded with ${response.status} instead of 404 or the like.`,
      )
    },
  }
  return [...(invoke ? [actions] : []), ...(handleRequest ? [routes] : [])]
}

function nameChecks(subject: CheckedAdapter): readonly ConformanceCheck[] {
  const { getNames } = subject.adapter
  if (!getNames) return []
  return [
    {
      name: 'names: are texts of those who were asked about, and of nobody else',
      run: async () => {
        const { identity } = await authenticate(subject, await subject.valid())
        const subjects = [identity?.subject ?? '', 'daybook has no such subject', '__proto__']
        const names = await getNames.call(subject.adapter, subjects)
        assertConforms(names instanceof Map, 'getNames must return a Map.')
        for (const [nameSubject, name] of names) {
          assertConforms(
            nameSubject === subjects[0],
            `The name of ${JSON.stringify(nameSubject)} was not requested, or does not exist.`,
          )
          assertConforms(typeof name === 'string' && name !== '', 'A name must be a string.')
        }
      },
    },
  ]
}

function callerChecks(subject: CheckedAdapter): readonly ConformanceCheck[] {
  const { getCaller } = subject.adapter
  if (!getCaller) return []
  return [
    {
      name: 'callers: are those of a session without its credential, and null for a subject that nobody has',
      run: async () => {
        const { identity } = await authenticate(subject, await subject.valid())
        const caller = await getCaller.call(subject.adapter, identity?.subject ?? '')
        assertConforms(caller?.identity?.subject === identity?.subject, 'getCaller must return the requested subject.')
        assertConforms(
          JSON.stringify(caller?.identity?.roles) === JSON.stringify(identity?.roles),
          'getCaller must return the same roles as getIdentity.',
        )
        for (const unknownSubject of ['daybook has no such subject', '__proto__'])
          assertConforms(
            (await getCaller.call(subject.adapter, unknownSubject)) === null,
            'getCaller must return null for an unknown subject.',
          )
      },
    },
  ]
}

/** Returns the response, or the `DaybookError` that is thrown instead. */
async function catchRejection(work: () => Promise<unknown>): Promise<{ readonly status: number }> {
  try {
    const response = await work()
    assertConforms(response instanceof Response, 'handleRequest must return a Response.')
    return response
  } catch (error) {
    if (error instanceof DaybookError) return error
    throw error
  }
}
