import { type AuthAdapter, type DaybookConfig, defineCollection, defineConfig, f, type Service } from 'daybook'
import { betterAuth } from 'daybook/better-auth'
import { createTestService } from 'daybook/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ApiTokens } from '../../src/auth/api-tokens.ts'
import { identityOf } from '../support/auth/people.ts'
import type { Place } from '../support/stores/place.ts'
import { POLICY_STORES } from '../support/stores/stores.ts'
import { SLOW_MACHINE_LIMITS } from '../support/timeouts.ts'
import { Browser, PASSWORD } from './browser.ts'

const config = defineConfig({
  collections: { notes: defineCollection({ fields: { title: f.text({ required: true }) } }) },
  limits: { ...SLOW_MACHINE_LIMITS, signInsPerMinute: 1000 },
})

const json = ({ text }: { readonly text: string }) => JSON.parse(text)
const bearer = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } })
const pathFor = (...subjects: readonly string[]): string =>
  `/api/cms/auth/people?subjects=${subjects.map(encodeURIComponent).join(',')}`

async function registered(service: Pick<Service, 'fetch'>, name: string, email: string) {
  const browser = new Browser(service)
  const { identity } = json(await browser.action('register', { name, email, password: PASSWORD }))
  return { browser, subject: identity.subject as string }
}

describe.each(POLICY_STORES)('the names of people on $name', ({ at }) => {
  let place: Place
  let service: Service
  let ann: Awaited<ReturnType<typeof registered>>
  let ben: typeof ann
  let token: { readonly id: string; readonly token: string }

  beforeAll(async () => {
    place = await at()
    service = await place.open({ ...config, auth: betterAuth() })
    ann = await registered(service, 'Ann Prado', 'ann@example.org')
    ben = await registered(service, 'Ben', 'ben@example.org')
    const store = await place.store()
    const rights = { scopes: ['notes:read'], roles: ['service'], expiresAt: null } as const
    token = await new ApiTokens(store.records).create({ name: 'importer', ...rights })
    await store.close()
  })
  afterAll(async () => {
    await service.close()
    await place[Symbol.asyncDispose]()
  })

  test('are readable with a session, for accounts and tokens, without other data', async () => {
    const response = await ann.browser.send(pathFor(ben.subject, token.id, ann.subject, ben.subject))
    expect(response.status).toBe(200)
    expect(response.headers.get('cache-control')).toBe('private, no-store')
    expect(json(response)).toEqual({
      people: [
        { subject: ben.subject, name: 'Ben' },
        { subject: token.id, name: 'importer' },
        { subject: ann.subject, name: 'Ann Prado' },
      ],
    })
  })

  test('are readable for programs', async () => {
    const response = await new Browser(service).send(pathFor(ben.subject), bearer(token.token))
    expect(json(response)).toEqual({ people: [{ subject: ben.subject, name: 'Ben' }] })
  })

  test('are not readable without a session', async () => {
    expect((await new Browser(service).send(pathFor(ben.subject))).status).toBe(401)
  })

  test('leave out unknown subjects and the service itself', async () => {
    const unknown = [crypto.randomUUID(), '000000000000', '__proto__', 'service', 'system']
    expect(json(await ann.browser.send(pathFor(...unknown, ben.subject))).people).toHaveLength(1)
    expect(json(await ann.browser.send('/api/cms/auth/people'))).toEqual({ people: [] })
  })

  test('are no addresses: an account whose name is its address has none', async () => {
    const eve = await registered(service, 'eve@example.org', 'eve@example.org')
    expect(json(await ann.browser.send(pathFor(eve.subject)))).toEqual({ people: [] })
  })

  test('are limited to a hundred for each request', async () => {
    const many = Array.from({ length: 100 }, (_, n) => `person-${n}`)
    expect((await ann.browser.send(pathFor(...many))).status).toBe(200)
    const response = await ann.browser.send(pathFor(...many, 'one-more'))
    expect([response.status, json(response).details.issues]).toEqual([
      400,
      [
        {
          path: 'subjects',
          code: 'maxItems',
          params: { limit: 100 },
          message: 'subjects must have at most 100 names.',
        },
      ],
    ])
  })
})

describe('the names of people', () => {
  test('are those of accounts in memory by default', async () => {
    await using service = await createTestService(config)
    const ann = await registered(service, 'Ann', 'ann@example.org')
    expect(json(await ann.browser.send(pathFor(ann.subject)))).toEqual({
      people: [{ subject: ann.subject, name: 'Ann' }],
    })
  })

  async function readNameOfMia(getNames: (() => Promise<unknown>) | undefined) {
    const adapter: AuthAdapter = {
      getCapabilities: () => ({ provider: 'own', providerRoutes: { enabled: false } }),
      getPrincipal: async () => ({ id: 'mia' }),
      getIdentity: async () => identityOf('mia'),
      ...(getNames ? { getNames: getNames as NonNullable<AuthAdapter['getNames']> } : {}),
    }
    const withAdapter: DaybookConfig = { ...config, auth: adapter }
    await using service = await createTestService(withAdapter)
    const response = await new Browser(service).send(pathFor('mia', 'ben'), bearer('any'))
    return [response.status, json(response).people]
  }

  test('come from getNames of the adapter; without it, there are none', async () => {
    expect(await readNameOfMia(async () => new Map([['mia', 'Mia']]))).toEqual([200, [{ subject: 'mia', name: 'Mia' }]])
    expect(await readNameOfMia(undefined)).toEqual([200, []])
  })

  test('are those of requested subjects, and texts, whatever an adapter returns', async () => {
    const names = new Map<string, unknown>([
      ['mia', 7],
      ['ben', ''],
      ['eve', 'Eve'],
    ])
    expect(await readNameOfMia(async () => names)).toEqual([200, []])
  })

  test('are 503 while the adapter fails', async () => {
    expect(await readNameOfMia(async () => Promise.reject(new Error('no directory')))).toEqual([503, undefined])
    expect(await readNameOfMia(async () => ({ mia: 'Mia' }))).toEqual([503, undefined])
  })
})
