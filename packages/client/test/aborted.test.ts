import { once } from 'node:events'
import { Readable } from 'node:stream'
import { createClient } from '@daybook/client'
import { defineCollection, defineConfig, f } from 'daybook'
import { createTestService } from 'daybook/testing'
import { expect, test } from 'vitest'
import { ScriptedServer } from './support/scripted-server.ts'

test('an aborted upload closes its Node stream, even while it waits for data', async () => {
  await using server = await ScriptedServer.start()
  const { assets } = createClient({ baseUrl: server.url })
  const ending = new AbortController()
  const stream = new Readable({ read() {} })
  stream.push('the first part')
  const closed = once(stream, 'close')
  const onProgress = (): void => void setImmediate(() => ending.abort(new Error('enough')))
  await expect(assets.upload(stream, { name: 'a.txt', onProgress, signal: ending.signal })).rejects.toThrow('enough')
  await closed
  expect(stream.destroyed).toBe(true)
})

test('an upload that never begins closes its stream', async () => {
  const token = (): never => {
    throw new Error('signed out')
  }
  const stream = Readable.from(['a'])
  await expect(createClient({ baseUrl: 'http://127.0.0.1', token }).assets.upload(stream)).rejects.toThrow('signed out')
  expect(stream.destroyed).toBe(true)
})

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
