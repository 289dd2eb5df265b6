import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type AuthAdapter,
  createService,
  type DaybookConfig,
  defineCollection,
  defineConfig,
  defineGlobal,
  definePlugin,
  f,
  hasRole,
} from 'daybook'
import { betterAuth } from 'daybook/better-auth'
import { serve } from 'daybook/node'
import { createTestService } from 'daybook/testing'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { memoryFolder } from '../../support/stores/folder.ts'

const isEditor = hasRole('editor')
const access = { create: isEditor, update: isEditor, delete: isEditor }
const fields = { title: f.text() }

/** A config with a rule for every write. */
const ruled = defineConfig({
  collections: { notes: defineCollection({ fields, access }) },
  globals: { site: defineGlobal({ fields, access: { update: isEditor } }) },
  assets: { access },
})
const unruled = defineConfig({ collections: { notes: defineCollection({ fields }) } })

const callers = () => Promise.resolve(null)
const adapter: AuthAdapter = {
  getCapabilities: () => ({ provider: 'intranet', providerRoutes: { enabled: false } }),
  getPrincipal: callers,
  getIdentity: callers,
}
const plugin = definePlugin({ name: 'marks', version: '1.0.0', collections: { marks: defineCollection({ fields }) } })

/** Configs that let strangers write, each with a text of the error. */
const OPEN: readonly (readonly [what: string, config: DaybookConfig, named: string])[] = [
  ['no auth at all', unruled, 'notes (create, update, delete), assets (create, update, delete).'],
  ['open registration in memory', { ...unruled, auth: { registration: 'open' } }, 'notes (create, update, delete)'],
  ['open registration in the database', { ...unruled, auth: betterAuth() }, 'notes (create, update, delete)'],
  [
    'a collection without a rule for deletions',
    { ...ruled, collections: { notes: { fields, access: { create: isEditor, update: isEditor } } } },
    'can write: notes (delete).',
  ],
  ['a global without a rule', { ...ruled, globals: { site: { fields } } }, 'can write: globals.site (update).'],
  ['files without rules', { ...ruled, assets: {} }, 'can write: assets (create, update, delete).'],
  ['a collection of a plugin', { ...ruled, plugins: [plugin] }, 'can write: marks (create, update, delete).'],
]

const SAFE: readonly (readonly [what: string, config: DaybookConfig])[] = [
  ['closed registration', { ...unruled, auth: { registration: 'closed' } }],
  ['closed registration in the database', { ...unruled, auth: betterAuth({ registration: 'closed' }) }],
  ['registration by invitation', { ...unruled, auth: betterAuth({ registration: 'invite' }) }],
  ['rules for all that is written', ruled],
  ['rules, and accounts in the database', { ...ruled, auth: betterAuth() }],
  ['an adapter of its own', { ...unruled, auth: adapter }],
  ['writes of anyone that are accepted', { ...unruled, auth: { anyoneMayWrite: true } }],
  ['the same in the database', { ...unruled, auth: betterAuth({ registration: 'open', anyoneMayWrite: true }) }],
]

let data: string

beforeEach(async () => {
  data = await mkdtemp(join(await memoryFolder(), 'daybook-exposure-'))
  return () => rm(data, { recursive: true, force: true })
})

afterEach(() => void vi.unstubAllEnvs())

describe('a service in which strangers could write', () => {
  test.each(OPEN)('does not start in production: %s', async (_what, config, named) => {
    vi.stubEnv('NODE_ENV', 'production')
    const refused = await createService(config, { data }).catch((error) => error)
    expect(refused).toMatchObject({ name: 'StartupError', message: expect.stringContaining('NODE_ENV=production') })
    expect(refused.message).toContain(named)
    expect(await readdir(data)).toEqual([])
  })

  test.each(OPEN)('does not listen for other machines: %s', async (_what, config, named) => {
    const service = await createService(config, { data })
    onTestFinished(() => service.close())
    for (const host of ['0.0.0.0', '::', '::ffff:127.0.0.1', 'content.example.org']) {
      const refused = await serve(service, { port: 0, host }).catch((error) => error)
      expect(refused).toMatchObject({ name: 'StartupError', message: expect.stringContaining(`at ${host}, where`) })
      expect(refused.message).toContain(named)
    }
  })

  test('does not start for exposed servers, whatever the environment', async () => {
    const refused = await createService(unruled, { data, exposed: true }).catch((error) => error)
    expect(refused).toMatchObject({ name: 'StartupError', message: expect.stringContaining('exposed: true') })
  })

  test('starts inside a program or a test, in production as well', async () => {
    vi.stubEnv('NODE_ENV', 'production')
    await using tested = await createTestService(unruled)
    expect((await tested.request('/api/notes')).status).toBe(200)
    const service = await createService(unruled, { data, exposed: false })
    expect((await service.fetch(new Request('http://localhost/api/notes'))).status).toBe(200)
    await service.close()
  })

  test('fails with all remedies in the message', async () => {
    vi.stubEnv('NODE_ENV', 'production')
    const refused = await createService(unruled, { data }).catch((error) => error)
    const ways = [
      "registration: 'closed'",
      'daybook user create',
      'an access rule for each action',
      'anyoneMayWrite: true',
    ]
    for (const way of ways) expect(refused.message).toContain(way)
  })

  test.each(['127.0.0.1', 'localhost', undefined])('listens for this machine, at %s', async (host) => {
    const service = await createService(unruled, { data })
    const { url, stop } = await serve(service, { port: 0, ...(host === undefined ? {} : { host }) })
    expect((await fetch(`${url}/api/health`)).status).toBe(200)
    await stop(0)
  })
})

test.each(SAFE)('a service starts in production, and may listen for other machines: %s', async (_what, config) => {
  vi.stubEnv('NODE_ENV', 'production')
  const service = await createService(config, { data })
  expect(service.exposureFaults).toEqual([])
  const { url, stop } = await serve(service, { port: 0 })
  expect((await fetch(`${url}/api/health`)).status).toBe(200)
  await stop(0)
})
