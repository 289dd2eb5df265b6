import { once } from 'node:events'
import { Readable } from 'node:stream'
import { createClient } from '@daybook/client'
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
