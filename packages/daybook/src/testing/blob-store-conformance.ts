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
const CROWD = 50
/** The number of listed blobs, more than a page of S3 (1,000). */
const MANY = 2500
/** The size of a blob that S3 stores in several parts, in bytes. */
const LARGE = 12 * 1024 * 1024

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
      const bench = new BlobStoreFixture(store)
      try {
        await work(bench, store)
        await bench.clear()
      } finally {
        await store.close()
      }
    },
  }
}

function stageChecks(subject: BlobStoreSubject): readonly ConformanceCheck[] {
  return [
    check(subject, 'stage: a staged blob is listed as such, and has no key', async (bench, store) => {
      await bench.stage('one', createPattern(10))
      deepStrictEqual(await bench.staged(), ['one'])
      for await (const { at } of store.staged()) ok(at instanceof Date && !Number.isNaN(at.getTime()), 'at is a Date')
      deepStrictEqual(await bench.keys(), [])
      strictEqual(await store.size(bench.key('one')), undefined)
    }),
    ...[10, LARGE].map((length) =>
      check(subject, `stage: of a stream that fails after ${length} bytes, nothing is left`, async (bench, store) => {
        const { content, delivered } = createStalledStream(createPattern(length))
        const staging = store.stage(bench.name('one'), content, new AbortController().signal)
        const failure = new Error('broken off')
        delivered.then(() => content.destroy(failure))
        await rejects(staging, failure, 'stage rejects with the error of the stream')
        deepStrictEqual(await bench.staged(), [])
      }),
    ),
    check(subject, 'stage: of a stream that ends early without an error, nothing is left', async (bench, store) => {
      const { content, delivered } = createStalledStream(createPattern(CHUNK_BYTES))
      const staging = store.stage(bench.name('one'), content, new AbortController().signal)
      delivered.then(() => content.destroy())
      await rejects(staging, 'stage rejects')
      deepStrictEqual(await bench.staged(), [])
    }),
    ...[10, LARGE].map((length) =>
      check(subject, `stage: an abort after ${length} bytes ends it, and leaves nothing`, async (bench, store) => {
        const { content, delivered } = createStalledStream(createPattern(length))
        const aborter = new AbortController()
        const staging = store.stage(bench.name('one'), content, aborter.signal)
        delivered.then(() => aborter.abort())
        await rejects(staging, 'stage rejects')
        strictEqual(content.destroyed, true, 'nobody reads the stream any more: it is destroyed')
        deepStrictEqual(await bench.staged(), [])
      }),
    ),
    check(subject, 'stage: a signal that is aborted already leaves nothing', async (bench, store) => {
      await rejects(store.stage(bench.name('one'), inChunks(createPattern(10)), AbortSignal.abort()), 'stage rejects')
      deepStrictEqual(await bench.staged(), [])
    }),
    check(subject, 'stage: a blob staged under the same name is replaced', async (bench) => {
      await bench.stage('one', createPattern(LARGE))
      await bench.stage('one', createPattern(10, 7))
      deepStrictEqual(await bench.staged(), ['one'])
      await bench.publish('one', 'a')
      assertSameBytes(await bench.get('a'), createPattern(10, 7), 'what was staged last is published')
    }),
    check(subject, 'stage: a blob staged under the same name stays until all is taken in', async (bench, store) => {
      await bench.stage('one', createPattern(10))
      const { content, delivered } = createStalledStream(createPattern(CHUNK_BYTES))
      const staging = store.stage(bench.name('one'), content, new AbortController().signal)
      delivered.then(() => content.destroy(new Error('broken off')))
      await rejects(staging)
      await bench.publish('one', 'a')
      assertSameBytes(await bench.get('a'), createPattern(10), 'the former one is published')
    }),
    check(subject, 'discard: removes a staged blob, and does nothing where there is none', async (bench, store) => {
      await bench.stage('one', createPattern(10))
      await bench.stage('one-more', createPattern(10))
      await store.discard(bench.name('one'))
      await store.discard(bench.name('one'))
      deepStrictEqual(await bench.staged(), ['one-more'])
    }),
  ]
}

function publishChecks(subject: BlobStoreSubject): readonly ConformanceCheck[] {
  return [
    ...[0, 1, CHUNK_BYTES, LARGE].map((length) =>
      check(subject, `publish: a blob of ${length} bytes is read as it was staged`, async (bench, store) => {
        const bytes = createPattern(length)
        await bench.put('folder/A-blob_1.bin', bytes)
        assertSameBytes(await bench.get('folder/A-blob_1.bin'), bytes, 'the bytes are the same')
        strictEqual(await store.size(bench.key('folder/A-blob_1.bin')), length)
        deepStrictEqual(await bench.staged(), [], 'what is published is not staged any more')
      }),
    ),
    check(
      subject,
      'publish: a key that is taken stays with its blob, and the other one stays staged',
      async (bench) => {
        await bench.put('a', createPattern(10))
        await bench.stage('late', createPattern(20))
        strictEqual(await bench.publish('late', 'a'), false)
        assertSameBytes(await bench.get('a'), createPattern(10), 'the first blob is unharmed')
        deepStrictEqual(await bench.staged(), ['late'])
        strictEqual(await bench.publish('late', 'b'), true)
        assertSameBytes(await bench.get('b'), createPattern(20), 'it can be published under another key')
      },
    ),
    check(subject, `publish: of ${CROWD} attempts at once, one gets the key`, async (bench) => {
      const numbers = Array.from({ length: CROWD }, (_, number) => number)
      await Promise.all(numbers.map((number) => bench.stage(`${number}`, createPattern(1000, number))))
      const won = await Promise.all(numbers.map((number) => bench.publish(`${number}`, 'deep/a')))
      const winners = numbers.filter((number) => won[number])
      strictEqual(winners.length, 1, `${winners.length} attempts were told that the key is theirs`)
      assertSameBytes(await bench.get('deep/a'), createPattern(1000, winners[0]), 'the blob is that of the winner')
      strictEqual((await bench.staged()).length, CROWD - 1, 'the others stay staged')
    }),
    check(subject, 'publish: a blob becomes visible all at once', async (bench, store) => {
      await bench.stage('one', createPattern(LARGE))
      let isPublished = false
      const publishing = bench.publish('one', 'a').finally(() => {
        isPublished = true
      })
      const sizes = new Set<number | undefined>()
      while (!isPublished) {
        sizes.add(await store.size(bench.key('a')))
        // Without this, a synchronous store would block its own publishing.
        await setImmediate()
      }
      await publishing
      for (const size of sizes) ok(size === undefined || size === LARGE, `readers saw ${size} of ${LARGE} bytes`)
    }),
    check(subject, 'publish: what is not staged is refused, and gets no key', async (bench, store) => {
      await rejects(bench.publish('none', 'folder/a'), 'publish rejects')
      strictEqual(await store.size(bench.key('folder/a')), undefined)
    }),
    check(subject, 'publish: keys of which one is a folder of the other do no harm to each other', async (bench) => {
      await bench.put('a/b', createPattern(10))
      for (const key of ['a', 'a/b/c']) {
        await bench.stage('other', createPattern(20))
        const isTaken = !(await bench.publish('other', key))
        const found = await bench.get(key)
        if (isTaken) strictEqual(found, undefined, `${key} is refused, and there is none`)
        else assertSameBytes(found, createPattern(20), `${key} is given, and read`)
      }
      assertSameBytes(await bench.get('a/b'), createPattern(10), 'the first blob is unharmed')
    }),
  ]
}

function readChecks(subject: BlobStoreSubject): readonly ConformanceCheck[] {
  return [
    check(subject, 'read: there is nothing under a key that no blob has', async (bench, store) => {
      await bench.put('a', createPattern(10))
      for (const key of ['b', 'a/b', 'a.', 'A/a']) {
        strictEqual(await store.read(bench.key(key)), undefined)
        strictEqual(await store.read(bench.key(key), { start: 0, end: 1 }), undefined)
        strictEqual(await store.size(bench.key(key)), undefined)
      }
    }),
    ...RANGES.map(({ of, start, end, from, to }) =>
      check(subject, `read: bytes ${start} to ${end} of ${of}`, async (bench, store) => {
        await bench.put('a', createPattern(of))
        const found = await store.read(bench.key('a'), { start, end })
        strictEqual(found?.size, of, 'size is that of the whole blob')
        const bytes = await buffer(found.content)
        assertSameBytes(
          bytes,
          createPattern(of).subarray(from, to),
          `gave ${bytes.length} bytes instead of ${to - from}`,
        )
      }),
    ),
    check(subject, 'read: many at once, some of which end early', async (bench, store) => {
      await bench.put('a', createPattern(LARGE))
      const numbers = Array.from({ length: 10 }, (_, number) => number)
      const whole = numbers.map(async () =>
        assertSameBytes(await bench.get('a'), createPattern(LARGE), 'the bytes are the same'),
      )
      const early = numbers.map(async () => (await store.read(bench.key('a')))?.content.destroy())
      await Promise.all([...whole, ...early])
    }),
  ]
}

function changeChecks(subject: BlobStoreSubject): readonly ConformanceCheck[] {
  return [
    check(subject, 'write: stores a blob, and replaces it', async (bench, store) => {
      for (const bytes of [createPattern(10), createPattern(2000, 5), createPattern(0)]) {
        await store.write(bench.key('folder/a'), bytes, HEADERS)
        assertSameBytes(await bench.get('folder/a'), bytes, 'what was written last is read')
      }
      deepStrictEqual(await bench.staged(), [])
    }),
    ...[0, LARGE].map((length) =>
      check(subject, `move: a blob of ${length} bytes is read under its new key alone`, async (bench, store) => {
        await bench.put('folder/a', createPattern(length))
        strictEqual(await store.move(bench.key('folder/a'), bench.key('other/b')), true)
        assertSameBytes(await bench.get('other/b'), createPattern(length), 'the bytes are the same')
        deepStrictEqual(await bench.keys(), ['other/b'])
        strictEqual(await store.move(bench.key('other/b'), bench.key('folder/a')), true, 'it can be moved back')
        deepStrictEqual(await bench.keys(), ['folder/a'])
      }),
    ),
    check(subject, 'move: a key that is taken stays with its blob, and so does the other one', async (bench, store) => {
      await bench.put('a', createPattern(10))
      await bench.put('b', createPattern(20))
      strictEqual(await store.move(bench.key('a'), bench.key('b')), false)
      strictEqual(await store.move(bench.key('a'), bench.key('a')), false)
      strictEqual(await store.move(bench.key('none'), bench.key('c')), false, 'there is nothing to move')
      assertSameBytes(await bench.get('a'), createPattern(10), 'the blob that was to be moved is unharmed')
      assertSameBytes(await bench.get('b'), createPattern(20), 'the other blob is unharmed')
      deepStrictEqual(await bench.keys(), ['a', 'b'])
    }),
    check(
      subject,
      'delete: removes one blob and no other, and does nothing where there is none',
      async (bench, store) => {
        const keys = ['a/b', 'a/bc', 'ab', 'b']
        for (const key of keys) await bench.put(key, createPattern(10))
        for (const key of ['a/b', 'a/b', 'a', 'none', 'none/at/all']) await store.delete(bench.key(key))
        deepStrictEqual(await bench.keys(), ['a/bc', 'ab', 'b'])
        strictEqual(await bench.get('a/b'), undefined)
      },
    ),
    check(subject, 'delete: the key can be given again', async (bench, store) => {
      await bench.put('folder/a', createPattern(10))
      await store.delete(bench.key('folder/a'))
      await bench.put('folder/a', createPattern(20))
      assertSameBytes(await bench.get('folder/a'), createPattern(20), 'the new blob is read')
    }),
  ]
}

function listChecks(subject: BlobStoreSubject): readonly ConformanceCheck[] {
  return [
    check(subject, `list: ${MANY} blobs, each once and with its size`, async (bench, store) => {
      const sizes = new Map(Array.from({ length: MANY }, (_, n) => [bench.key(`${n % 7}/${n}`), n % 5]))
      await forEachConcurrently([...sizes], ([key, size]) => store.write(key, createPattern(size), HEADERS))
      const found = await collect(store.list(bench.prefix))
      strictEqual(found.length, MANY)
      deepStrictEqual(new Map(found.map(({ key, size }) => [key, size])), sizes)
    }),
    check(subject, 'list: a prefix may end within a segment', async (bench) => {
      for (const key of ['cat', 'cats/one', 'cat.png', 'dog/cat']) await bench.put(key, createPattern(1))
      deepStrictEqual(await bench.keys('cat'), ['cat', 'cat.png', 'cats/one'])
      deepStrictEqual(await bench.keys('cats/'), ['cats/one'])
      deepStrictEqual(await bench.keys('cats/one'), ['cats/one'])
      deepStrictEqual(await bench.keys('none/'), [])
    }),
    check(subject, 'list: what belongs to Daybook is listed by its own prefix alone', async (bench, store) => {
      const own = `.${bench.prefix}a`
      await bench.put('a', createPattern(1))
      await bench.stage('one', createPattern(1))
      await store.write(own, createPattern(3), HEADERS)
      deepStrictEqual(await collect(store.list(`.${bench.prefix}`)), [{ key: own, size: 3 }])
      const keys = (await collect(store.list(''))).map(({ key }) => key)
      ok(keys.includes(bench.key('a')), 'an empty prefix lists all blobs')
      deepStrictEqual(
        keys.filter((key) => key.startsWith('.')),
        [],
        'but not those of Daybook',
      )
      await store.delete(own)
      strictEqual(await store.size(own), undefined)
    }),
  ]
}

function ruleChecks(subject: BlobStoreSubject): readonly ConformanceCheck[] {
  return [
    check(
      subject,
      'keys: one that breaks the rule is refused by every method, and nothing is touched',
      async (bench, store) => {
        await bench.stage('one', createPattern(1))
        for (const key of INVALID_KEYS) {
          const refused = refusalOf(key)
          await rejects(store.publish(bench.name('one'), key, HEADERS), refused)
          await rejects(store.move(key, bench.key('a')), refused)
          await rejects(store.move(bench.key('a'), key), refused)
          await rejects(store.read(key), refused)
          await rejects(store.size(key), refused)
          await rejects(store.write(key, createPattern(1), HEADERS), refused)
          await rejects(store.delete(key), refused)
        }
        deepStrictEqual(await bench.staged(), ['one'])
      },
    ),
    check(subject, 'keys: a name that breaks the rule is refused by every method', async (bench, store) => {
      for (const name of INVALID_NAMES) {
        const refused = refusalOf(name)
        await rejects(store.stage(name, inChunks(createPattern(1)), new AbortController().signal), refused)
        await rejects(store.publish(name, bench.key('a'), HEADERS), refused)
        await rejects(store.discard(name), refused)
      }
      deepStrictEqual(await bench.keys(), [])
    }),
    check(subject, 'keys: a prefix with which no key begins is refused', async (_bench, store) => {
      for (const prefix of ['/', '../', 'a/../', 'a//', 'a\\', 'a\0'])
        await rejects(collect(store.list(prefix)), refusalOf(prefix))
    }),
    check(subject, 'keys: the longest ones that there may be', async (bench) => {
      const folders = `${'a'.repeat(200)}/`.repeat(4)
      const longest = folders.padEnd(900 - bench.prefix.length, 'b')
      await bench.put(longest, createPattern(10))
      assertSameBytes(await bench.get(longest), createPattern(10), 'the blob is read')
      deepStrictEqual(await bench.keys(), [longest])
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
function refusalOf(text: string): (error: unknown) => true {
  return (error) => {
    ok(error instanceof TypeError, `${JSON.stringify(text)} must be refused with a TypeError, not with ${error}`)
    return true
  }
}
