import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createService, type DaybookConfig, defineCollection, definePlugin, f, hasRole } from 'daybook'
import { betterAuth } from 'daybook/better-auth'
import { serve } from 'daybook/node'
import { serveUploads, signUpload, webhooks } from 'daybook/plugins'
import { createTestService, type TestService } from 'daybook/testing'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { RecordingLog } from '../../support/recording-log.ts'
import { memoryFolder } from '../../support/stores/folder.ts'

const SECRET = 'a secret of this test, which has forty characters'
const WEBHOOK_SECRET = `whsec_${Buffer.from(SECRET).toString('base64')}`
const BASE = { baseURL: 'https://cms.example.org', registration: 'closed' } as const

const withParts = (parts: Partial<DaybookConfig>): DaybookConfig => ({
  collections: { notes: defineCollection({ fields: { title: f.text() } }) },
  auth: { registration: 'closed' },
  ...parts,
})
const endpoint = (secrets: readonly (string | undefined)[]) =>
  webhooks({ endpoints: { site: { url: 'https://www.example.org/hook', secrets } } })
const social = (clientId: string | undefined, clientSecret: string | undefined) =>
  withParts({ auth: betterAuth({ ...BASE, socialProviders: { github: { clientId, clientSecret } } }) })

/** Configs without and with the secret of an option, with the path of the option. */
const CONFIGS: readonly (readonly [path: string, missing: DaybookConfig, complete: DaybookConfig])[] = [
  [
    'plugins.serve-uploads.options.secret',
    withParts({ plugins: [serveUploads({ secret: undefined })] }),
    withParts({ plugins: [serveUploads({ secret: SECRET })] }),
  ],
  [
    'assets.images.secret',
    withParts({ assets: { images: { secret: undefined } } }),
    withParts({ assets: { images: { secret: SECRET } } }),
  ],
  [
    'plugins.webhooks.options.endpoints.site.secrets.1',
    withParts({ plugins: [endpoint([WEBHOOK_SECRET, undefined])] }),
    withParts({ plugins: [endpoint([WEBHOOK_SECRET, WEBHOOK_SECRET])] }),
  ],
  ['auth.socialProviders.github', social('id', undefined), social('id', SECRET)],
  ['auth.socialProviders.github', social(undefined, SECRET), social('id', SECRET)],
  ['auth.socialProviders.github', social('', ''), social('id', SECRET)],
  [
    'plugins.mail.options.key',
    withParts({ plugins: [definePlugin({ name: 'mail', version: '1.0.0', missingSecrets: { key: 'ask Ann' } })] }),
    withParts({ plugins: [definePlugin({ name: 'mail', version: '1.0.0' })] }),
  ],
]

let data: string

beforeEach(async () => {
  data = await mkdtemp(join(await memoryFolder(), 'daybook-secrets-'))
  return () => rm(data, { recursive: true, force: true })
})

afterEach(() => void vi.unstubAllEnvs())

describe.each(CONFIGS)('%s', (path, missing, complete) => {
  test('a service without it does not start in production, and one with it does', async () => {
    vi.stubEnv('NODE_ENV', 'production')
    const refused = await createService(missing, { data }).catch((error) => error)
    expect(refused).toMatchObject({ name: 'StartupError', message: expect.stringContaining('NODE_ENV=production') })
    expect(refused.message).toContain(`${path} has no value. `)
    expect(refused.message).not.toContain(SECRET)
    const service = await createService(complete, { data })
    expect(service.exposureFaults).toEqual([])
    await service.close()
  })

  test('a service without it listens on this machine only, with a warning', async () => {
    const log = new RecordingLog()
    const service = await createService(missing, { data, log })
    const warnings = log.take().filter((line) => line.startsWith('warn') && line.includes(`${path} has no value. `))
    expect(warnings).toHaveLength(1)
    const refused = await serve(service, { port: 0, host: '0.0.0.0' }).catch((error) => error)
    expect(refused.message).toContain(`${path} has no value. `)
    const { url, stop } = await serve(service, { port: 0 })
    expect((await fetch(`${url}/api/health`)).status).toBe(200)
    await stop(0)
  })
})

describe('without the secret of uploads', () => {
  const isEditor = hasRole('service')
  const config = withParts({ assets: { access: { read: isEditor } }, plugins: [serveUploads({ secret: undefined })] })

  async function signedAddress(service: TestService): Promise<string> {
    const headers = { Authorization: `Bearer ${service.token}` }
    const body = new FormData()
    body.set('file', new File(['These are notes.'], 'notes.txt'))
    body.set('filename', 'notes.txt')
    const uploaded = await service.request('/api/assets', { method: 'POST', body, headers })
    const { id } = (await uploaded.json()) as { id: string }
    const signed = await service.request(`/api/assets/${id}/url`, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: '{}',
    })
    return ((await signed.json()) as { url: string }).url
  }

  async function statusAt(service: TestService, address: string): Promise<number> {
    const response = await service.request(address)
    await response.text()
    return response.status
  }

  test('the service signs with a random secret of its process', async () => {
    await using first = await createTestService(config)
    await using second = await createTestService(
      withParts({ ...config, plugins: [serveUploads({ secret: undefined })] }),
    )
    const [address, other] = [await signedAddress(first), await signedAddress(second)]
    expect(await statusAt(first, address)).toBe(200)
    expect(await statusAt(first, other)).toBe(403)
    const guesses = ['undefined'.repeat(4), ' '.repeat(32), 'a secret for development, replace it']
    for (const secret of guesses) expect(await statusAt(first, signUpload(secret, 'notes.txt').url)).toBe(403)
  })

  test('private files stay private', async () => {
    await using service = await createTestService(config)
    await signedAddress(service)
    expect(await statusAt(service, '/uploads/notes.txt')).toBe(404)
  })
})

test('a social provider without a secret is disabled, and others work', async () => {
  const socialProviders = {
    github: { clientId: 'id', clientSecret: undefined },
    gitlab: { clientId: 'id', clientSecret: SECRET },
  }
  await using service = await createTestService(withParts({ auth: betterAuth({ ...BASE, socialProviders }) }))
  const signIn = (provider: string) =>
    service.request('/api/auth/sign-in/social', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ provider, callbackURL: '/' }),
    })
  expect((await signIn('github')).status).toBe(404)
  expect((await signIn('gitlab')).status).toBe(200)
})
