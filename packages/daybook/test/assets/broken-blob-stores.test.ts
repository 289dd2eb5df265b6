import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { BlobContent, BlobStore, ByteRange, StagedBlob, StoredBlob } from 'daybook'
import { blobStoreConformance } from 'daybook/testing'
import { expect, test } from 'vitest'
import { isBlobKey, requireBlobKey, requireBlobPrefix, requireStagedName } from '../../src/assets/blob-store.ts'
import { LARGE_TEST_MS } from '../support/timeouts.ts'

/** A sound store in memory. Each of those below has one fault. */
class SoundStore implements BlobStore {
  readonly stagedBlobs = new Map<string, Buffer>()
  readonly blobs = new Map<string, Buffer>()

  async stage(name: string, content: Readable, signal: AbortSignal): Promise<void> {
    requireStagedName(name)
    const onAbort = () => void content.destroy(new Error('aborted'))
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort)
    this.stagedBlobs.set(name, await buffer(content))
  }

  async publish(name: string, key: string): Promise<boolean> {
    requireStagedName(name)
    requireBlobKey(key)
    const bytes = this.stagedBlobs.get(name)
    if (!bytes) throw new Error(`Nothing is staged as ${name}`)
    if (this.blobs.has(key)) return false
    this.blobs.set(key, bytes)
    this.stagedBlobs.delete(name)
    return true
  }

  async move(from: string, to: string): Promise<boolean> {
    requireBlobKey(from)
    requireBlobKey(to)
    const bytes = this.blobs.get(from)
    if (!bytes || this.blobs.has(to)) return false
    this.blobs.set(to, bytes)
    this.blobs.delete(from)
    return true
  }

  async discard(name: string): Promise<void> {
    requireStagedName(name)
    this.stagedBlobs.delete(name)
  }

  async *staged(): AsyncIterable<StagedBlob> {
    for (const name of [...this.stagedBlobs.keys()]) yield { name, at: new Date() }
  }

  async read(key: string, range?: ByteRange): Promise<BlobContent | undefined> {
    requireBlobKey(key)
    const bytes = this.blobs.get(key)
    const part = range ? bytes?.subarray(range.start, range.end + 1) : bytes
    return bytes && part && { size: bytes.length, content: Readable.from(part.length > 0 ? [part] : []) }
  }

  async size(key: string): Promise<number | undefined> {
    requireBlobKey(key)
    return this.blobs.get(key)?.length
  }

  async write(key: string, bytes: Uint8Array): Promise<void> {
    requireBlobKey(key)
    this.blobs.set(key, Buffer.from(bytes))
  }

  async delete(key: string): Promise<void> {
    requireBlobKey(key)
    this.blobs.delete(key)
  }

  async *list(prefix: string): AsyncIterable<StoredBlob> {
    requireBlobPrefix(prefix)
    for (const [key, { length: size }] of [...this.blobs]) {
      if (key.startsWith(prefix) && (prefix !== '' || !key.startsWith('.'))) yield { key, size }
    }
  }

  async check(): Promise<void> {}

  async close(): Promise<void> {}
}

async function failuresOf(store: BlobStore): Promise<readonly string[]> {
  const failures: string[] = []
  for (const { name, run } of blobStoreConformance({ open: () => store })) {
    await run().catch(() => failures.push(name))
  }
  return failures
}

test('a sound store passes every check', { timeout: LARGE_TEST_MS }, async () => {
  expect(await failuresOf(new SoundStore())).toEqual([])
})

const BROKEN: readonly (readonly [fault: string, store: BlobStore, check: RegExp])[] = [
  [
    'keeps what came before a stream broke off',
    new (class extends SoundStore {
      override async stage(name: string, content: Readable, signal: AbortSignal): Promise<void> {
        this.stagedBlobs.set(name, Buffer.alloc(1))
        await super.stage(name, content, signal)
      }
    })(),
    /^stage: of a stream that fails/,
  ],
  [
    'takes a stream that ended early for whole',
    new (class extends SoundStore {
      override async stage(name: string, content: Readable, signal: AbortSignal): Promise<void> {
        await super.stage(name, content, signal).catch(() => {})
      }
    })(),
    /^stage: of a stream that ends early/,
  ],
  [
    'looks before it publishes, and does not look again',
    new (class extends SoundStore {
      override async publish(name: string, key: string): Promise<boolean> {
        if (this.blobs.has(key)) return false
        await new Promise(setImmediate)
        const bytes = this.stagedBlobs.get(name)
        this.blobs.delete(key)
        return bytes !== undefined && (await super.publish(name, key))
      }
    })(),
    /^publish: of 50 attempts at once/,
  ],
  [
    'moves a blob into the place of another one',
    new (class extends SoundStore {
      override async move(from: string, to: string): Promise<boolean> {
        this.blobs.delete(to)
        return super.move(from, to)
      }
    })(),
    /^move: a key that is taken stays with its blob/,
  ],
  [
    'gives the last byte of a range away',
    new (class extends SoundStore {
      override read(key: string, range?: ByteRange): Promise<BlobContent | undefined> {
        return super.read(key, range && { start: range.start, end: range.end - 1 })
      }
    })(),
    /^read: bytes 0 to 0 of 100/,
  ],
  [
    'lists one page',
    new (class extends SoundStore {
      override async *list(prefix: string): AsyncIterable<StoredBlob> {
        let left = 1000
        for await (const blob of super.list(prefix)) if (left-- > 0) yield blob
      }
    })(),
    /^list: 2500 blobs/,
  ],
  [
    'takes a prefix for a folder',
    new (class extends SoundStore {
      override async *list(prefix: string): AsyncIterable<StoredBlob> {
        for await (const blob of super.list(prefix)) {
          if (prefix.endsWith('/') || prefix === '' || blob.key.startsWith(`${prefix}/`)) yield blob
        }
      }
    })(),
    /^list: a prefix may end within a segment/,
  ],
  [
    'deletes what is below a key, too',
    new (class extends SoundStore {
      override async delete(key: string): Promise<void> {
        await super.delete(key)
        for (const other of [...this.blobs.keys()]) if (other.startsWith(`${key}/`)) this.blobs.delete(other)
      }
    })(),
    /^delete: removes one blob and no other/,
  ],
  [
    'cleans keys up instead of refusing them',
    new (class extends SoundStore {
      override size(key: string): Promise<number | undefined> {
        return super.size(isBlobKey(key) ? key : 'cleaned')
      }
    })(),
    /^keys: one that breaks the rule/,
  ],
]

test.each(BROKEN)(
  'a store that %s fails the check for that',
  { timeout: LARGE_TEST_MS },
  async (_fault, store, check) => {
    expect(await failuresOf(store)).toContainEqual(expect.stringMatching(check))
  },
)
