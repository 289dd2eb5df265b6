import { ANONYMOUS, defineCollection, defineConfig, f } from 'daybook'
import { betterAuth } from 'daybook/better-auth'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { STORES, type StoredService } from '../../support/stores/stores.ts'

describe.each(STORES)('a text that no store can hold, on $name', (store) => {
  const config = defineConfig({
    limits: { signInsPerMinute: 10_000 },
    auth: betterAuth({ sendPasswordReset: async () => {}, baseURL: 'https://cms.example' }),
    collections: {
      notes: defineCollection({
        fields: {
          title: f.text(),
          slug: f.slug({ from: 'title' }),
          kinds: f.select({ options: ['a'], many: true }),
          mail: f.email(),
          link: f.url(),
          parent: f.relation('notes'),
        },
      }),
    },
  })
  let service: StoredService<typeof config>
  beforeAll(async () => {
    service = await store.open(config)
    // The code of accounts is loaded at the first sign-in.
    const signIn = async () => expect((await post('/api/auth/sign-in/email', {})).status).toBe(400)
    await vi.waitFor(signIn, { timeout: 30_000 })
  }, 60_000)
  afterAll(() => service.close())

  const post = (path: string, json: object): Promise<Response> =>
    service.request(path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Origin: 'http://daybook.test' },
      body: JSON.stringify(json),
    })

  const TEXTS = ['\0', 'a\0b', '\ud800', 'a\udfff']

  test.each(TEXTS)('is rejected in filters and searches of in-process calls: %j', async (text) => {
    for (const field of ['title', 'slug', 'mail', 'link', 'parent', 'parent.title', 'kinds', 'id', 'createdAt']) {
      for (const operator of ['eq', 'ne', 'lt', 'gte', 'in', 'nin', 'startsWith', 'contains', 'all']) {
        const value = ['in', 'nin', 'all'].includes(operator) ? [text] : text
        const list = service.content.as(ANONYMOUS).list('notes', { where: { [field]: { [operator]: value } } } as never)
        await expect(list, `${field} ${operator}`).rejects.toMatchObject({ code: 'VALIDATION_ERROR' })
      }
    }
    await expect(service.content.as(ANONYMOUS).list('notes', { q: text })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    })
    expect(await service.content.as(ANONYMOUS).get('notes', text)).toBeNull()
  })

  test.each(TEXTS)('opens no account, and is not an internal error: %j', async (text) => {
    const responses = [
      await post('/api/auth/reset-password', { token: text, newPassword: 'a long one of mine' }),
      await post('/api/auth/request-password-reset', { email: `${text}@example.org`, redirectTo: '/' }),
      await post('/api/cms/auth/actions/login', { email: `a${text}@example.org`, password: text.repeat(20) }),
      await post('/api/auth/sign-in/email', { email: `a${text}@example.org`, password: text.repeat(20) }),
    ]
    for (const { status } of responses) expect([400, 401]).toContain(status)
  })
})
