import { type BetterAuthOptions, betterAuth, type PasswordReset } from 'daybook/better-auth'
import { describe, expect, test } from 'vitest'
import { RecordingLog } from '../support/recording-log.ts'
import { STORES } from '../support/stores/stores.ts'
import { bearer, configOf, json } from './accounts-config.ts'
import { Browser, ORIGIN, PASSWORD } from './browser.ts'

describe.each(STORES)('secrets of accounts on $name', (store) => {
  test('are in no response, header, log line or export, except where they are issued', async () => {
    const log = new RecordingLog()
    const resets: PasswordReset[] = []
    const options = { baseURL: ORIGIN, sendPasswordReset: async (reset: PasswordReset) => void resets.push(reset) }
    await using service = await store.open(configOf(options), { export: true, log })
    const browser = new Browser(service)
    const { token } = json(await browser.register())
    const [cookie = ''] = browser.cookies.values()
    await browser.send('/api/auth/request-password-reset', { json: { email: 'ines@example.org', redirectTo: '/' } })
    await expect.poll(() => resets.length).toBe(1)
    const reset = resets[0]?.token ?? ''
    const wrong = 'canary-of-a-wrong-password'
    const rows = await service.rows("SELECT doc FROM daybook$records WHERE kind = 'better-auth account'")
    const { password: hash } = JSON.parse(String(rows[0]?.doc)) as { readonly password: string }
    const asService = { headers: { Authorization: `Bearer ${service.token}` } }
    const visitor = new Browser(service)
    const responses = [
      await browser.send('/api/notes', { json: { title: 'A' } }),
      await browser.send('/api/notes'),
      await browser.send('/api/cms/auth/session'),
      await browser.send('/api/cms/auth/permissions'),
      await visitor.send('/api/cms/auth/session', bearer(`${token}x`)),
      await visitor.login('ines@example.org', wrong),
      await visitor.register('ines@example.org', { json: { email: 'ines@example.org', name: 'X', password: wrong } }),
      await visitor.send('/api/auth/reset-password', { json: { token: `${reset}x`, newPassword: wrong } }),
      await visitor.send('/api/export', asService),
    ]
    expect(responses.at(-1)?.text).toContain('"title":"A"')
    const texts = responses.map(({ text, headers }) => text + JSON.stringify([...headers]))
    const lines = log.take()
    expect(lines.length).toBeGreaterThan(responses.length)
    const secrets = { token, cookie, reset, hash, PASSWORD, wrong, service: service.token }
    for (const [name, secret] of Object.entries(secrets)) {
      expect(secret, name).toMatch(/.{15}/)
      for (const text of [...texts, ...lines]) expect(text, name).not.toContain(secret)
    }
  })
})

test.each([
  [{ registration: 'anyone' as never }, 'registration'],
  [{ anyoneMayWrite: 'yes' as never }, 'anyoneMayWrite'],
  [{ secret: 'short' }, 'secret'],
] satisfies [BetterAuthOptions, string][])('%o is refused, with the option to mend', (options, option) => {
  expect(() => betterAuth(options)).toThrow(`betterAuth: ${option} must `)
})
