import { describe, expect, test } from 'vitest'
import type { Asset } from '../../src/app/assets/media/asset.ts'
import { type SendOptions, UploadQueue } from '../../src/app/assets/uploads/upload-queue.ts'

class Unreachable extends Error {}

/** Makes a queue whose requests the test resolves. */
function makeQueue() {
  const sent: {
    readonly name: string
    readonly options: SendOptions
    readonly response: PromiseWithResolvers<Asset>
  }[] = []
  const stored: Asset[] = []
  let keys = 0
  const queue = new UploadQueue({
    send: (file, options) => {
      const response = Promise.withResolvers<Asset>()
      sent.push({ name: file.name, options, response })
      return response.promise
    },
    isUnreachableError: (error) => error instanceof Unreachable,
    onError: () => {},
    onStored: (asset) => stored.push(asset),
    makeKey: () => {
      keys += 1
      return `key-${keys}`
    },
  })
  const states = (): readonly string[] => queue.uploads.get().map(({ file, state }) => `${file.name} ${state}`)
  const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
  return { queue, sent, stored, states, nextTurn }
}

const files = (...names: string[]): File[] => names.map((name) => new File(['abc'], name))
const asset = (id: string): Asset => ({ id }) as Asset

describe('uploads', () => {
  test('are sent two at a time, in order, each to its folder', async () => {
    const { queue, sent, stored, states, nextTurn } = makeQueue()
    const storedIds: string[] = []
    const keys = queue.add(files('a', 'b', 'c'), 'images', ({ id }) => storedIds.push(id))
    expect(states()).toEqual(['a sending', 'b sending', 'c waiting'])
    expect(sent.map(({ options }) => options.directory)).toEqual(['images', 'images'])
    sent[1]?.options.onProgress(2)
    expect(queue.uploads.get()[1]?.sent).toBe(2)
    sent[1]?.response.resolve(asset('B'))
    await nextTurn()
    expect(states()).toEqual(['a sending', 'b stored', 'c sending'])
    expect([stored.map(({ id }) => id), storedIds]).toEqual([['B'], ['B']])
    queue.clearStored([])
    expect(states()).toHaveLength(3)
    queue.clearStored(keys)
    expect(states()).toEqual(['a sending', 'c sending'])
  })

  test('that failed are retried with the same idempotency key', async () => {
    const { queue, sent, states, nextTurn } = makeQueue()
    queue.add(files('a'))
    sent[0]?.response.reject(new Error('no'))
    await nextTurn()
    expect(states()).toEqual(['a failed'])
    expect(queue.isBusy).toBe(false)
    queue.retry(1)
    expect(states()).toEqual(['a sending'])
    expect(sent.map(({ options }) => options.idempotencyKey)).toEqual(['key-1', 'key-1'])
  })

  test('pause while the service is unreachable, and resume when it is back', async () => {
    const { queue, sent, states, nextTurn } = makeQueue()
    queue.add(files('a', 'b', 'c'))
    sent[0]?.response.reject(new Unreachable())
    await nextTurn()
    expect(states()).toEqual(['a paused', 'b sending', 'c waiting'])
    sent[1]?.response.reject(new Unreachable())
    await nextTurn()
    expect(states()).toEqual(['a paused', 'b paused', 'c waiting'])
    expect([sent.length, queue.isBusy]).toEqual([2, true])
    queue.resume()
    expect(states()).toEqual(['a sending', 'b sending', 'c waiting'])
  })

  test('that are cancelled are aborted and removed, and the next ones start', async () => {
    const { queue, sent, stored, states, nextTurn } = makeQueue()
    queue.add(files('a', 'b', 'c', 'd'))
    queue.cancel(1)
    expect([sent[0]?.options.signal.aborted, states()]).toEqual([true, ['b sending', 'c sending', 'd waiting']])
    // A response that arrives after the cancellation is ignored.
    sent[0]?.response.resolve(asset('A'))
    await nextTurn()
    expect(stored).toEqual([])
    queue.cancel(4)
    expect(states()).toEqual(['b sending', 'c sending'])
  })
})
