import { createClient } from '@daybook/client'
import { defineCollection, defineConfig, f } from 'daybook'
import { createTestService } from 'daybook/testing'
import { expect, test } from 'vitest'

const config = defineConfig({ collections: { notes: defineCollection({ fields: { title: f.text() } }) } })

test('a subscription ends by its signal, even if fetch ignores the signal', async () => {
  await using service = await createTestService(config)
  const client = createClient<typeof config>({
    baseUrl: 'http://daybook.test',
    fetch: (url, { signal: _, ...init } = {}) => service.fetch(new Request(url, init)),
  })
  const { next } = await client.changes()
  await client.withToken(service.token).collections.notes.create({ title: 'Heard' })
  const ending = new AbortController()
  const actions: string[] = []
  for await (const item of client.subscribe({ since: next, signal: ending.signal })) {
    actions.push(item.action)
    // There are no further changes, so only the signal ends the subscription.
    setTimeout(() => ending.abort(), 10)
  }
  expect(actions).toEqual(['upsert'])
})
