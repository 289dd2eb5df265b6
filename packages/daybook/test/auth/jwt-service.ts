import { type AuthContext, defineCollection, defineConfig, f, type Identity } from 'daybook'
import { type JwtOptions, jwt } from 'daybook/jwt'
import { createTestService, type TestService } from 'daybook/testing'
import { expect, onTestFinished, vi } from 'vitest'
import { Issuer } from '../support/auth/issuer.ts'
import { expectSane } from '../support/scenarios/sane.ts'

const NOBODY = { authenticated: false, principal: null, identity: null }
export const COOL_DOWN_MS = 30_000
export const HOUR_MS = 3_600_000

export async function serve(issuer: Issuer, options: Partial<JwtOptions> = {}): Promise<TestService> {
  const service = await createTestService(
    defineConfig({
      auth: jwt({ issuer: issuer.url, audience: issuer.audience, ...options }),
      collections: { posts: defineCollection({ fields: { title: f.text({ required: true }) } }) },
    }),
  )
  onTestFinished(() => service.close())
  return service as unknown as TestService
}

export async function make(options: Partial<JwtOptions> = {}): Promise<{ issuer: Issuer; service: TestService }> {
  const issuer = await Issuer.make()
  onTestFinished(() => issuer[Symbol.asyncDispose]())
  return { issuer, service: await serve(issuer, options) }
}

export const toContext = (token: string): AuthContext => ({
  headers: new Headers({ authorization: `Bearer ${token}` }),
  address: null,
  origin: 'https://cms.example.org',
})

interface Session {
  readonly authenticated: boolean
  readonly principal: object | null
  readonly identity: Identity | null
}

interface Outcome {
  readonly status: number
  readonly session: Session
}

/** The session that the service finds for a token. */
export async function sendRequest(service: TestService, token: string, scheme = 'Bearer'): Promise<Outcome> {
  const response = await service.request('/api/cms/auth/session', { headers: { authorization: `${scheme} ${token}` } })
  const { status, headers } = response
  const text = await response.text()
  expectSane({ status, headers, text })
  return { status, session: JSON.parse(text) }
}

/** A change with a token: 201 when it counts. */
export async function write(service: TestService, token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const { status } = await service.request('/api/posts', { method: 'POST', headers, body: '{"title":"x"}' })
  return status
}

export async function expectNobody(service: TestService, token: string): Promise<void> {
  expect(await sendRequest(service, token)).toEqual({ status: 200, session: NOBODY })
  expect(await write(service, token)).toBe(401)
}

export async function expectSomebody(service: TestService, token: string): Promise<void> {
  const { status, session } = await sendRequest(service, token)
  expect({ status, authenticated: session.authenticated }).toEqual({ status: 200, authenticated: true })
}

export async function expectUnavailable(service: TestService, token: string): Promise<void> {
  expect((await sendRequest(service, token)).status).toBe(503)
  expect(await write(service, token)).toBe(503)
}

export const now = performance.now.bind(performance)

/** Stops the clock of the keys' age at a time from now. */
export function skip(ms: number): void {
  vi.spyOn(performance, 'now').mockReturnValue(now() + ms)
}

export const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
