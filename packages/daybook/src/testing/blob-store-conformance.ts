import { deepStrictEqual, ok, rejects, strictEqual } from 'node:assert/strict'
import { buffer } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import type { BlobStore } from '../assets/blob-store.ts'
import type { ConformanceCheck } from './auth-conformance.ts'
import {
  assertSameBytes,
  BlobStoreFixture,
  CHUNK_BYTES,
  collect,
  createPattern,
  createStalledStream,
  forEachConcurrently,
  HEADERS,
  INVALID_KEYS,
  INVALID_NAMES,
  inChunks,
  RANGES,
} from './blob-store-fixture.ts'

/** A store of files to check. */
export interface BlobStoreSubject {
  /** Opens the store; called for each check. The store may contain blobs: the checks ignore them, and remove only their own. */
  readonly open: () => BlobStore | Promise<BlobStore>
}

/** The number of concurrent attempts to publish under one key. */
const CONCURRENCY = 50
/** The number of listed blobs, more than a page of S3 (1,000). */
const BLOB_COUNT = 2500
/** The size of a blob that S3 stores in several parts, in bytes. */
const LARGE_BYTES = 12 * 1024 * 1024

/**
 * The contract of {@link BlobStore}, as checks for any test runner.
 *
 * @example
 * ```ts
 * import { test } from 'node:test'
 * import { blobStoreConformance } from 'daybook/testing'
 *
 * const open = () => myStore({ bucket: 'test' }).open({ data: '/tmp/data' })
 * for (const { name, run } of blobStoreConformance({ open })) test(name, run)
 * ```
 */
export function blobStoreConformance(subject: BlobStoreSubject): readonly ConformanceCheck[] {
  return [
    ...stageChecks(subject),
    ...publishChecks(subject),
    ...readChecks(subject),
    ...changeChecks(subject),
    ...listChecks(subject),
    ...ruleChecks(subject),
  ]
}

/** Creates a check that opens the store, and removes its blobs afterwards. */
function check(
  { open }: BlobStoreSubject,
  name: string,
  work: (bench: BlobStoreFixture, store: BlobStore) => Promise<void>,
): ConformanceCheck {
  return {
    name,
    async run() {
      const store = await open()
      const fixture = new BlobStoreFixture(store)
      try {
        await work(fixture, store)
        await fixture.clear()
      } finally {
        await store.close()
      }
    },
  }
}

function stageChecks(subject: BlobStoreSubject): readonly ConformanceCheck[] {
  return [
    check(subject, 'stage: a staged blob is listed as such, and has no key', async (fixture, store) => {
      await fixture.stage('one', createPattern(10))
      deepStrictEqual(await fixture.staged(), ['one'])
      for await (const { at } of store.staged()) ok(at instanceof Date && !Number.isNaN(at.getTime()), 'at is a Date')
      deepStrictEqual(await fixture.keys(), [])
      strictEqual(await store.size(fixture.key('one')), undefined)
    }),
    ...[10, LARGE_BYTES].map((length) =>
      check(subject, `stage: of a stream that fails after ${length} bytes, nothing is left`, async (fixture, store) => {
        const { content, delivered } = createStalledStream(createPattern(length))
        const staging = store.stage(fixture.name('one'), content, new AbortController().signal)
        const failure = new Error('broken off')
        delivered.then(() => content.destroy(failure))
        await rejects(staging, failure, 'stage rejects with the error of the stream')
        deepStrictEqual(await fixture.staged(), [])
      }),
    ),
    check(subject, 'stage: of a stream that ends early without an error, nothing is left', async (fixture, store) => {
      const { content, delivered } = createStalledStream(createPattern(CHUNK_BYTES))
      const staging = store.stage(fixture.name('one'), content, new AbortController().signal)
      delivered.then(() => content.destroy())
      await rejects(staging, 'stage rejects')
      deepStrictEqual(await fixture.staged(), [])
    }),
    ...[10, LARGE_BYTES].map((length) =>
      check(subject, `stage: an abort after ${length} bytes ends it, and leaves nothing`, async (fixture, store) => {
        const { content, delivered } = createStalledStream(createPattern(length))
        const aborter = new AbortController()
        const staging = store.stage(fixture.name('one'), content, aborter.signal)
        delivered.then(() => aborter.abort())
        await rejects(staging, 'stage rejects')
        strictEqual(content.destroyed, true, 'nobody reads the stream any more: it is destroyed')
        deepStrictEqual(await fixture.staged(), [])
      }),
    ),
    check(subject, 'stage: a signal that is aborted already leaves nothing', async (fixture, store) => {
      await rejects(store.stage(fixture.name('one'), inChunks(createPattern(10)), AbortSignal.abort()), 'stage rejects')
      deepStrictEqual(await fixture.staged(), [])
    }),
    check(subject, 'stage: a blob staged under the same name is replaced', async (fixture) => {
      await fixture.stage('one', createPattern(LARGE_BYTES))
      await fixture.stage('one', createPattern(10, 7))
      deepStrictEqual(await fixture.staged(), ['one'])
      await fixture.publish('one', 'a')
      assertSameBytes(await fixture.get('a'), createPattern(10, 7), 'what was staged last is published')
    }),
    check(subject, 'stage: a blob staged under the same name stays until all is taken in', async (fixture, store) => {
      await fixture.stage('one', createPattern(10))
      const { content, delivered } = createStalledStream(createPattern(CHUNK_BYTES))
      const staging = store.stage(fixture.name('one'), content, new AbortController().signal)
      delivered.then(() => content.destroy(new Error('broken off')))
      await rejects(staging)
      await fixture.publish('one', 'a')
      assertSameBytes(await fixture.get('a'), createPattern(10), 'the former one is published')
    }),
    check(subject, 'discard: removes a staged blob, and does nothing where there is none', async (fixture, store) => {
      await fixture.stage('one', createPattern(10))
      await fixture.stage('one-more', createPattern(10))
      await store.discard(fixture.name('one'))
      await store.discard(fixture.name('one'))
      deepStrictEqual(await fixture.staged(), ['one-more'])
    }),
  ]
}

function publishChecks(subject: BlobStoreSubject): readonly ConformanceCheck[] {
  return [
    ...[0, 1, CHUNK_BYTES, LARGE_BYTES].map((length) =>
      check(subject, `publish: a blob of ${length} bytes is read as it was staged`, async (fixture, store) => {
        const bytes = createPattern(length)
        await fixture.put('folder/A-blob_1.bin', bytes)
        assertSameBytes(await fixture.get('folder/A-blob_1.bin'), bytes, 'the bytes are the same')
        strictEqual(await store.size(fixture.key('folder/A-blob_1.bin')), length)
        deepStrictEqual(await fixture.staged(), [], 'what is published is not staged any more')
      }),
    ),
    check(
      subject,
      'publish: a key that is taken stays with its blob, and the other one stays staged',
      async (fixture) => {
        await fixture.put('a', createPattern(10))
        await fixture.stage('late', createPattern(20))
        strictEqual(await fixture.publish('late', 'a'), false)
        assertSameBytes(await fixture.get('a'), createPattern(10), 'the first blob is unharmed')
        deepStrictEqual(await fixture.staged(), ['late'])
        strictEqual(await fixture.publish('late', 'b'), true)
        assertSameBytes(await fixture.get('b'), createPattern(20), 'it can be published under another key')
      },
    ),
    check(subject, `publish: of ${CONCURRENCY} attempts at once, one gets the key`, async (fixture) => {
      const numbers = Array.from({ length: CONCURRENCY }, (_, number) => number)
      await Promise.all(numbers.map((number) => fixture.stage(`${number}`, createPattern(1000, number))))
      const won = await Promise.all(numbers.map((number) => fixture.publish(`${number}`, 'deep/a')))
      const winners = numbers.filter((number) => won[number])
      strictEqual(winners.length, 1, `${winners.length} attempts were reported to have the key`)
      assertSameBytes(await fixture.get('deep/a'), createPattern(1000, winners[0]), 'the blob is that of the winner')
      strictEqual((await fixture.staged()).length, CONCURRENCY - 1, 'the others stay staged')
    }),
    check(subject, 'publish: a blob becomes visible all at once', async (fixture, store) => {
      await fixture.stage('one', createPattern(LARGE_BYTES))
      let isPublished = false
      const publishing = fixture.publish('one', 'a').finally(() => {
        isPublished = true
      })
      const sizes = new Set<number | undefined>()
      while (!isPublished) {
        sizes.add(await store.size(fixture.key('a')))
        // Without this, a synchronous store would block its own publishing.
        await setImmediate()
      }
      await publishing
      for (const size of sizes)
        ok(size === undefined || size === LARGE_BYTES, `readers saw ${size} of ${LARGE_BYTES} bytes`)
    }),
    check(subject, 'publish: what is not staged is rejected, and gets no key', async (fixture, store) => {
      await rejects(fixture.publish('none', 'folder/a'), 'publish rejects')
      strictEqual(await store.size(fixture.key('folder/a')), undefined)
    }),
    check(subject, 'publish: keys of which one is a folder of the other do no harm to each other', async (fixture) => {
      await fixture.put('a/b', createPattern(10))
      for (const key of ['a', 'a/b/c']) {
        await fixture.stage('other', createPattern(20))
        const isTaken = !(await fixture.publish('other', key))
        const bytes = await fixture.get(key)
        if (isTaken) strictEqual(bytes, undefined, `${key} is rejected, and does not exist`)
        else assertSameBytes(bytes, createPattern(20), `${key} is given, and read`)
      }
      assertSameBytes(await fixture.get('a/b'), createPattern(10), 'the first blob is unharmed')
    }),
  ]
}

function readChecks(subject: BlobStoreSubject): readonly ConformanceCheck[] {
  return [
    check(subject, 'read: there is nothing under a key that no blob has', async (fixture, store) => {
      await fixture.put('a', createPattern(10))
      for (const key of ['b', 'a/b', 'a.', 'A/a']) {
        strictEqual(await store.read(fixture.key(key)), undefined)
        strictEqual(await store.read(fixture.key(key), { start: 0, end: 1 }), undefined)
        strictEqual(await store.size(fixture.key(key)), undefined)
      }
    }),
    ...RANGES.map(({ of, start, end, from, to }) =>
      check(subject, `read: bytes ${start} to ${end} of ${of}`, async (fixture, store) => {
        await fixture.put('a', createPattern(of))
        const blob = await store.read(fixture.key('a'), { start, end })
        strictEqual(blob?.size, of, 'size is that of the whole blob')
        const bytes = await buffer(blob.content)
        assertSameBytes(
          bytes,
          createPattern(of).subarray(from, to),
          `gave ${bytes.length} bytes instead of ${to - from}`,
        )
      }),
    ),
    check(subject, 'read: many at once, some of which end early', async (fixture, store) => {
      await fixture.put('a', createPattern(LARGE_BYTES))
      const numbers = Array.from({ length: 10 }, (_, number) => number)
      const complete = numbers.map(async () =>
        assertSameBytes(await fixture.get('a'), createPattern(LARGE_BYTES), 'the bytes are the same'),
      )
      const early = numbers.map(async () => (await store.read(fixture.key('a')))?.content.destroy())
      await Promise.all([...complete, ...early])
    }),
  ]
}

function changeChecks(subject: BlobStoreSubject): readonly ConformanceCheck[] {
  return [
    check(subject, 'write: stores a blob, and replaces it', async (fixture, store) => {
      for (const bytes of [createPattern(10), createPattern(2000, 5), createPattern(0)]) {
        await store.write(fixture.key('folder/a'), bytes, HEADERS)
        assertSameBytes(await fixture.get('folder/a'), bytes, 'what was written last is read')
      }
      deepStrictEqual(await fixture.staged(), [])
    }),
    ...[0, LARGE_BYTES].map((length) =>
      check(subject, `move: a blob of ${length} bytes is read under its new key alone`, async (fixture, store) => {
        await fixture.put('folder/a', createPattern(length))
        strictEqual(await store.move(fixture.key('folder/a'), fixture.key('other/b')), true)
        assertSameBytes(await fixture.get('other/b'), createPattern(length), 'the bytes are the same')
        deepStrictEqual(await fixture.keys(), ['other/b'])
        strictEqual(await store.move(fixture.key('other/b'), fixture.key('folder/a')), true, 'it can be moved back')
        deepStrictEqual(await fixture.keys(), ['folder/a'])
      }),
    ),
    check(
      subject,
      'move: a key that is taken stays with its blob, and so does the other one',
      async (fixture, store) => {
        await fixture.put('a', createPattern(10))
        await fixture.put('b', createPattern(20))
        strictEqual(await store.move(fixture.key('a'), fixture.key('b')), false)
        strictEqual(await store.move(fixture.key('a'), fixture.key('a')), false)
        strictEqual(await store.move(fixture.key('none'), fixture.key('c')), false, 'there is nothing to move')
        assertSameBytes(await fixture.get('a'), createPattern(10), 'the blob that was to be moved is unharmed')
        assertSameBytes(await fixture.get('b'), createPattern(20), 'the other blob is unharmed')
        deepStrictEqual(await fixture.keys(), ['a', 'b'])
      },
    ),
    check(
      subject,
      'delete: removes one blob and no other, and does nothing where there is none',
      async (fixture, store) => {
        const keys = ['a/b', 'a/bc', 'ab', 'b']
        for (const key of keys) await fixture.put(key, createPattern(10))
        for (const key of ['a/b', 'a/b', 'a', 'none', 'none/at/all']) await store.delete(fixture.key(key))
        deepStrictEqual(await fixture.keys(), ['a/bc', 'ab', 'b'])
        strictEqual(await fixture.get('a/b'), undefined)
      },
    ),
    check(subject, 'delete: the key can be given again', async (fixture, store) => {
      await fixture.put('folder/a', createPattern(10))
      await store.delete(fixture.key('folder/a'))
      await fixture.put('folder/a', createPattern(20))
      assertSameBytes(await fixture.get('folder/a'), createPattern(20), 'the new blob is read')
    }),
  ]
}

function listChecks(subject: BlobStoreSubject): readonly ConformanceCheck[] {
  return [
    check(subject, `list: ${BLOB_COUNT} blobs, each once and with its size`, async (fixture, store) => {
      const sizes = new Map(Array.from({ length: BLOB_COUNT }, (_, n) => [fixture.key(`${n % 7}/${n}`), n % 5]))
      await forEachConcurrently([...sizes], ([key, size]) => store.write(key, createPattern(size), HEADERS))
      const blobs = await collect(store.list(fixture.prefix))
      strictEqual(blobs.length, BLOB_COUNT)
      deepStrictEqual(new Map(blobs.map(({ key, size }) => [key, size])), sizes)
    }),
    check(subject, 'list: a prefix may end within a segment', async (fixture) => {
      for (const key of ['cat', 'cats/one', 'cat.png', 'dog/cat']) await fixture.put(key, createPattern(1))
      deepStrictEqual(await fixture.keys('cat'), ['cat', 'cat.png', 'cats/one'])
      deepStrictEqual(await fixture.keys('cats/'), ['cats/one'])
      deepStrictEqual(await fixture.keys('cats/one'), ['cats/one'])
      deepStrictEqual(await fixture.keys('none/'), [])
    }),
    check(subject, 'list: what belongs to Daybook is listed by its own prefix alone', async (fixture, store) => {
      const internalKey = `.${fixture.prefix}a`
      await fixture.put('a', createPattern(1))
      await fixture.stage('one', createPattern(1))
      await store.write(internalKey, createPattern(3), HEADERS)
      deepStrictEqual(await collect(store.list(`.${fixture.prefix}`)), [{ key: internalKey, size: 3 }])
      const keys = (await collect(store.list(''))).map(({ key }) => key)
      ok(keys.includes(fixture.key('a')), 'an empty prefix lists all blobs')
      deepStrictEqual(
        keys.filter((key) => key.startsWith('.')),
        [],
        'but not those of Daybook',
      )
      await store.delete(internalKey)
      strictEqual(await store.size(internalKey), undefined)
    }),
  ]
}

function ruleChecks(subject: BlobStoreSubject): readonly ConformanceCheck[] {
  return [
    check(
      subject,
      'keys: one that breaks the rule is rejected by every method, and nothing is touched',
      async (fixture, store) => {
        await fixture.stage('one', createPattern(1))
        for (const key of INVALID_KEYS) {
          const isTypeError = expectTypeError(key)
          await rejects(store.publish(fixture.name('one'), key, HEADERS), isTypeError)
          await rejects(store.move(key, fixture.key('a')), isTypeError)
          await rejects(store.move(fixture.key('a'), key), isTypeError)
          await rejects(store.read(key), isTypeError)
          await rejects(store.size(key), isTypeError)
          await rejects(store.write(key, createPattern(1), HEADERS), isTypeError)
          await rejects(store.delete(key), isTypeError)
        }
        deepStrictEqual(await fixture.staged(), ['one'])
      },
    ),
    check(subject, 'keys: a name that breaks the rule is rejected by every method', async (fixture, store) => {
      for (const name of INVALID_NAMES) {
        const isTypeError = expectTypeError(name)
        await rejects(store.stage(name, inChunks(createPattern(1)), new AbortController().signal), isTypeError)
        await rejects(store.publish(name, fixture.key('a'), HEADERS), isTypeError)
        await rejects(store.discard(name), isTypeError)
      }
      deepStrictEqual(await fixture.keys(), [])
    }),
    check(subject, 'keys: a prefix with which no key begins is rejected', async (_bench, store) => {
      for (const prefix of ['/', '../', 'a/../', 'a//', 'a\\', 'a\0'])
        await rejects(collect(store.list(prefix)), expectTypeError(prefix))
    }),
    check(subject, 'keys: the longest ones that there may be', async (fixture) => {
      const folders = `${'a'.repeat(200)}/`.repeat(4)
      const longest = folders.padEnd(900 - fixture.prefix.length, 'b')
      await fixture.put(longest, createPattern(10))
      assertSameBytes(await fixture.get(longest), createPattern(10), 'the blob is read')
      deepStrictEqual(await fixture.keys(), [longest])
    }),
    check(subject, 'check: resolves while the store can be used', async (_bench, store) => store.check()),
    {
      name: 'close: what is stored and staged is there when the store is opened again',
      async run() {
        const first = await subject.open()
        const before = new BlobStoreFixture(first)
        await before.put('a', createPattern(10))
        await before.stage('one', createPattern(10))
        await first.close()
        const second = await subject.open()
        try {
          strictEqual(await second.size(before.key('a')), 10)
          strictEqual(await second.publish(before.name('one'), before.key('b'), HEADERS), true)
          await second.delete(before.key('a'))
          await second.delete(before.key('b'))
        } finally {
          await second.close()
        }
      },
    },
  ]
}

/** Creates a validator of the error for an invalid key or name, for `rejects`. */
function expectTypeError(text: string): (error: unknown) => true {
  return (error) => {
    ok(error instanceof TypeError, `${JSON.stringify(text)} must be rejected with a TypeError, not with ${error}`)
    return true
  }
}
