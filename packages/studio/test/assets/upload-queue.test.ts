import { describe, expect, test } from 'vitest'
import type { Asset } from '../../src/app/assets/media/asset.ts'
import { type SendOptions, UploadQueue } from '../../src/app/assets/uploads/upload-queue.ts'

class Away extends Error {}

/** A queue whose requests the test answers. */
function makeQueue() {
  const sent: { readonly name: string; readonly options: SendOptions; readonly answer: PromiseWithResolvers<Asset> }[] =
    []
  const stored: Asset[] = []
  let keys = 0
  const queue = new UploadQueue({
    send: (file, options) => {
      const answer = Promise.withResolvers<Asset>()
      sent.push({ name: file.name, options, answer })
      return answer.promise
    },
    isUnreachableError: (error) => error instanceof Away,
    onError: () => {},
    onStored: (asset) => stored.push(asset),
    makeKey: () => {
      keys += 1
      return `key-${keys}`
    },
  })
  const states = (): readonly string[] => queue.uploads.get().map(({ file, state }) => `${file.name} ${state}`)
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
  return { queue, sent, stored, states, settled }
}

const files = (...names: string[]): File[] => names.map((name) => new File(['abc'], name))
const asset = (id: string): Asset => ({ id }) as Asset

describe('uploads', () => {
  test('are sent two at a time, in their order, each with its folder', async () => {
    const { queue, sent, stored, states, settled } = makeQueue()
    const told: string[] = []
    const keys = queue.add(files('a', 'b', 'c'), 'images', ({ id }) => told.push(id))
    expect(states()).toEqual(['a sending', 'b sending', 'c waiting'])
    expect(sent.map(({ options }) => options.directory)).toEqual(['images', 'images'])
    sent[1]?.options.onProgress(2)
    expect(queue.uploads.get()[1]?.sent).toBe(2)
    sent[1]?.answer.resolve(asset('B'))
    await settled()
    expect(states()).toEqual(['a sending', 'b stored', 'c sending'])
    expect([stored.map(({ id }) => id), told]).toEqual([['B'], ['B']])
    queue.clearStored([])
    expect(states()).toHaveLength(3)
    queue.clearStored(keys)
    expect(states()).toEqual(['a sending', 'c sending'])
  })

  test('that failed are tried again under the same key, so that nothing is stored twice', async () => {
    const { queue, sent, states, settled } = makeQueue()
    queue.add(files('a'))
    sent[0]?.answer.reject(new Error('no'))
    await settled()
    expect(states()).toEqual(['a failed'])
    expect(queue.isBusy).toBe(false)
    queue.retry(1)
    expect(states()).toEqual(['a sending'])
    expect(sent.map(({ options }) => options.idempotencyKey)).toEqual(['key-1', 'key-1'])
  })

  test('wait while the service is away, and go on when it is back', async () => {
    const { queue, sent, states, settled } = makeQueue()
    queue.add(files('a', 'b', 'c'))
    sent[0]?.answer.reject(new Away())
    await settled()
    expect(states()).toEqual(['a paused', 'b sending', 'c waiting'])
    sent[1]?.answer.reject(new Away())
    await settled()
    expect(states()).toEqual(['a paused', 'b paused', 'c waiting'])
    expect([sent.length, queue.isBusy]).toEqual([2, true])
    queue.resume()
    expect(states()).toEqual(['a sending', 'b sending', 'c waiting'])
  })

  test('that are cancelled are ended and forgotten, and make room for the next', async () => {
    const { queue, sent, stored, states, settled } = makeQueue()
    queue.add(files('a', 'b', 'c', 'd'))
    queue.cancel(1)
    expect([sent[0]?.options.signal.aborted, states()]).toEqual([true, ['b sending', 'c sending', 'd waiting']])
    // What was answered all the same is not told.
    sent[0]?.answer.resolve(asset('A'))
    await settled()
    expect(stored).toEqual([])
    queue.cancel(4)
    expect(states()).toEqual(['b sending', 'c sending'])
  })
})
