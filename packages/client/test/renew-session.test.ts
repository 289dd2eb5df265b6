import { createClient } from '@daybook/client'
import { defineCollection, defineConfig, f } from 'daybook'
import { createTestService } from 'daybook/testing'
import { expect, test } from 'vitest'

const config = defineConfig({ collections: { notes: defineCollection({ fields: { title: f.text() } }) } })

test('a call that needs a session renews it, and is retried once', async () => {
  await using service = await createTestService(config)
  let token: string | undefined
  let renewals = 0
  const { collections, auth, request } = createClient<typeof config>({
    baseUrl: 'http://daybook.test',
    fetch: (url, init) => service.fetch(new Request(url, init)),
    token: () => token,
    renewSession: async () => {
      renewals += 1
      if (renewals > 1) token = service.token
      return renewals > 1
    },
  })
  await expect(collections.notes.create({ title: 'Refused' })).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
  expect(await collections.notes.create({ title: 'Stored' })).toMatchObject({ title: 'Stored' })
  expect(await collections.notes.create({ title: 'At once' })).toMatchObject({ title: 'At once' })
  expect((await collections.notes.findMany()).total).toBe(2)
  expect(renewals).toBe(2)
  token = 'of nobody'
  await expect(auth.login({ email: 'ann@example.org', password: 'not hers at all' })).rejects.toThrow()
  expect(renewals).toBe(2)
  await expect(auth.people(['ann'])).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
  expect(renewals).toBe(2)
  expect(await request({ path: '/api/cms/auth/people', query: { subjects: ['ann'] } })).toEqual({ people: [] })
  expect(renewals).toBe(3)
})

test('a call that is aborted while its session is renewed is not retried', async () => {
  await using service = await createTestService(config)
  const ending = new AbortController()
  const { collections } = createClient<typeof config>({
    baseUrl: 'http://daybook.test',
    fetch: (url, init) => service.fetch(new Request(url, init)),
    renewSession: async () => {
      ending.abort(new Error('closed'))
      return true
    },
  })
  const creating = collections.notes.create({ title: 'Late' }, { signal: ending.signal })
  await expect(creating).rejects.toThrow('closed')
  expect((await collections.notes.findMany()).total).toBe(0)
})
