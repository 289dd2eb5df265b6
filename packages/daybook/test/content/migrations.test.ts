import { f, type MigrationContext } from 'daybook'
import { beforeEach, describe, expect, test } from 'vitest'
import { findPendingMigrations, MigrationLock } from '../../src/content/transfer/run-migrations.ts'
import { migrateBy, withContentContext } from '../support/stores/migrating.ts'
import type { Place } from '../support/stores/place.ts'
import { STORES } from '../support/stores/stores.ts'

const CONFIG = {
  collections: {
    notes: {
      fields: { title: f.text({ unique: true }), count: f.integer(), status: f.status() },
      access: { draft: () => true, update: () => false },
    },
  },
}

/** More entries than `each` changes in one transaction. */
const MANY = 450

let place: Place

async function addNotes(number: number): Promise<void> {
  const operations = Array.from({ length: number }, (_, index) => ({
    op: 'create' as const,
    collection: 'notes',
    data: { title: `note ${index}`, count: 0, status: index % 2 === 0 ? 'published' : 'draft' },
  }))
  await place.serve(CONFIG, ({ content }) => content.batch(operations as never))
}

const counts = async (): Promise<readonly number[]> => {
  const items = await place.serve(CONFIG, async ({ content }) => {
    const pages = [0, 100, 200, 300, 400].map((offset) => content.list('notes', { limit: 100, offset }))
    return (await Promise.all(pages)).flatMap((page) => page.items)
  })
  return items.map(({ count }) => Number((count as unknown) ?? Number.NaN))
}

const actors = (): Promise<readonly { actor: string; n: number | string }[]> =>
  place.rows('SELECT actor, count(*) AS n FROM daybook$journal GROUP BY actor ORDER BY actor')

const add = ({ count }: Readonly<Record<string, unknown>>): { count: number } => ({ count: Number(count) + 1 })

describe.each(STORES)('a migration on $name', (store) => {
  beforeEach(async () => {
    place = await store.at()
    return () => place[Symbol.asyncDispose]()
  })

  test('changes every entry and draft once, ignoring access rules, and is named in the journal', async () => {
    await addNotes(MANY)
    const lines = await migrateBy(place, CONFIG, async ({ content, log }) => {
      log(`changed ${await content.each('notes', {}, add)}`)
    })
    expect(lines).toEqual([`  first: changed ${MANY}`, `      migrations/first has run (${MANY} changes)`])
    expect(await counts()).toEqual(Array.from({ length: MANY }, () => 1))
    expect((await actors()).map(({ actor, n }) => [actor, Number(n)])).toEqual([
      ['migration:first', MANY],
      ['system', MANY],
    ])
  })

  test('changes the entries that match its filter unless the function returns nothing', async () => {
    await addNotes(10)
    await migrateBy(place, CONFIG, async ({ content }) => {
      const changed = await content.each('notes', { status: { eq: 'draft' } }, (note) =>
        note.title === 'note 1' ? undefined : add(note),
      )
      expect(changed).toBe(4)
    })
    expect((await counts()).filter((count) => count === 1)).toHaveLength(4)
  })

  test('resumes after a failure and changes no entry twice', async () => {
    await addNotes(MANY)
    const failing = migrateBy(place, CONFIG, async ({ content }) => {
      await content.each('notes', {}, (note) => {
        if (note.title === 'note 300') throw new Error('no network')
        return add(note)
      })
    })
    await expect(failing).rejects.toThrow(/^migrations\/first failed: Error: no network/)
    expect((await counts()).filter((count) => count === 1)).toHaveLength(200)
    const seen: unknown[] = []
    await migrateBy(place, CONFIG, async ({ content }) => {
      await content.each('notes', {}, (note) => {
        seen.push(note.title)
        return add(note)
      })
    })
    expect(seen).toHaveLength(MANY - 200)
    expect(await counts()).toEqual(Array.from({ length: MANY }, () => 1))
  })

  test('runs again for an entry that changed at the same time', async () => {
    await addNotes(3)
    let isFirst = true
    await place.serve(CONFIG, ({ content: service }) =>
      migrateBy(place, CONFIG, async ({ content }) => {
        await content.each('notes', {}, async (note) => {
          if (isFirst) await service.batch([{ op: 'create', collection: 'notes', data: { count: 5 } }] as never)
          if (isFirst) await content.update('notes', note.id, { count: 10 } as never)
          isFirst = false
          return add(note)
        })
      }),
    )
    expect((await counts()).toSorted((a, b) => a - b)).toEqual([1, 1, 6, 11])
  })

  test('rejects a unique value that another entry has', async () => {
    await addNotes(2)
    const clash = migrateBy(place, CONFIG, async ({ content }) => {
      await content.each('notes', {}, () => ({ title: 'same' }))
    })
    await expect(clash).rejects.toThrow(
      /the change of notes [0-9a-f-]{36} was rejected\. .*title is already used by another entry/,
    )
    expect(await counts()).toEqual([0, 0])
  })

  test.each([
    ['an unknown collection', 'nots', {}, add, /the config has no collection "nots"/],
    ['an unknown field in the filter', 'notes', { nope: { eq: 1 } }, add, /nope/],
    ['no filter', 'notes', undefined, add, /write a filter, or \{\} for all/],
    ['no function', 'notes', {}, undefined, /write a function of the entry/],
    [
      'an answer that is no object',
      'notes',
      {},
      () => 'x',
      /must return an object of fields, or nothing\. It did not for notes [0-9a-f-]{36}/,
    ],
    [
      'an unknown field',
      'notes',
      {},
      () => ({ titel: 'x' }),
      /the change of notes [0-9a-f-]{36} was rejected\. Unknown field "titel"/,
    ],
    ['a value of another type', 'notes', {}, () => ({ count: 'x' }), /was rejected\. count must be/],
  ])('refuses %s', async (_, collection, where, change, message) => {
    await addNotes(2)
    const run = migrateBy(place, CONFIG, async ({ content }) => {
      await content.each(collection, where as never, change as never)
    })
    await expect(run).rejects.toThrow(message)
    expect(await counts()).toEqual([0, 0])
  })

  test('can be aborted while it waits forever, and its later calls change nothing', async () => {
    await addNotes(2)
    const controller = new AbortController()
    const { promise, resolve } = Promise.withResolvers<void>()
    let late: Promise<unknown> | undefined
    const run = migrateBy(
      place,
      CONFIG,
      async ({ content }) => {
        late = promise.then(() => content.create('notes', { title: 'late' } as never))
        controller.abort()
        await new Promise(() => {})
      },
      { signal: controller.signal },
    )
    await expect(run).rejects.toThrow('aborted')
    resolve()
    await expect(late).rejects.toThrow()
    expect(await counts()).toEqual([0, 0])
  })

  /** Runs a migration, and executes these statements while it processes its second page. */
  function migrateAround(...statements: readonly string[]): Promise<readonly string[]> {
    return migrateBy(place, CONFIG, async ({ content }) => {
      let seen = 0
      await content.each('notes', {}, async (note) => {
        if (seen++ === 250) for (const statement of statements) await place.exec(statement)
        return add(note)
      })
    })
  }

  const EXPIRE = 'UPDATE daybook$leases SET until = 0'

  test('continues after its lease expired if no other process migrates', async () => {
    await addNotes(MANY)
    await migrateAround(EXPIRE)
    expect(await counts()).toEqual(Array.from({ length: MANY }, () => 1))
  })

  test.each([
    ['has finished it', [EXPIRE, "UPDATE daybook$migrations SET position = '{}', finished = 'now'"]],
    ['continues it', ["UPDATE daybook$leases SET holder = 'another', token = token + 1, until = 9000000000000000"]],
    ['continued it and was killed', [EXPIRE, "UPDATE daybook$migrations SET run = 'another'"]],
  ])('stores nothing more if another process %s while this one was suspended', async (_, statements) => {
    await addNotes(MANY)
    await expect(migrateAround(...statements)).rejects.toThrow('Another process is migrating this store')
    expect((await counts()).filter((count) => count === 1)).toHaveLength(200)
  })

  test('is skipped by another process that had planned it, too', async () => {
    await addNotes(2)
    const run = async ({ content }: MigrationContext): Promise<void> => void (await content.each('notes', {}, add))
    expect(await migrateBy(place, CONFIG, run)).toHaveLength(1)
    expect(await migrateBy(place, CONFIG, run)).toEqual([])
    expect(await counts()).toEqual([1, 1])
  })

  test('may have parallel loops, each of which resumes where it failed', async () => {
    await addNotes(MANY)
    const runBoth = (published: typeof add): Promise<readonly string[]> =>
      migrateBy(place, CONFIG, async ({ content }) => {
        const drafts = content.each('notes', { status: { eq: 'draft' } }, add)
        await Promise.allSettled([drafts, content.each('notes', { status: { eq: 'published' } }, published)])
        await content.each('notes', { title: { eq: 'note 440' } }, published)
      })
    const failing = runBoth((note) => {
      if (note.title === 'note 440') throw new Error('no network')
      return add(note)
    })
    await expect(failing).rejects.toThrow('no network')
    expect((await counts()).filter((count) => count === 1)).toHaveLength(425)
    await runBoth(add)
    expect((await counts()).filter((count) => count === 1)).toHaveLength(MANY - 1)
  })

  test('reports the faults of an entry that it creates', async () => {
    await addNotes(1)
    const failing = migrateBy(place, CONFIG, async ({ content }) => {
      await content.create('notes', { title: 7, count: 'x' } as never)
    })
    await expect(failing).rejects.toThrow(
      /^migrations\/first failed: VALIDATION_ERROR: title must be .* count must be /,
    )
  })

  test('fails if it returns before its calls are done, and does not count as run', async () => {
    await addNotes(2)
    const careless = migrateBy(place, CONFIG, async ({ content }) => {
      void content.each('notes', {}, add)
    })
    await expect(careless).rejects.toThrow(
      'run returned before its calls of content were complete. Write await before each call.',
    )
    expect(await counts()).toEqual([0, 0])
    expect(await place.rows('SELECT finished FROM daybook$migrations')).toEqual([{ finished: null }])
  })

  test('waits until another process has migrated the store', async () => {
    await addNotes(1)
    await withContentContext(place, CONFIG, async (context) => {
      const { signal } = new AbortController()
      const first = await MigrationLock.acquire(context.store, { onWait: () => expect.fail('nobody else'), signal })
      const { promise: isWaiting, resolve } = Promise.withResolvers<void>()
      const second = withContentContext(place, CONFIG, async (other) => {
        const lock = await MigrationLock.acquire(other.store, { onWait: resolve, signal })
        await lock.release()
      })
      await isWaiting
      await first.release()
      await second
    })
  })
})

describe('migration files', () => {
  const ran = { name: 'a', hash: '1', started: 'then', run: '', position: '{}', finished: '2026-11-01T00:00:00.000Z' }

  test('run once in the order of their names, and again if they failed', () => {
    const files = ['b', 'c', 'a'].map((name) => ({ name, hash: '1' }))
    const records = [ran, { ...ran, name: 'b', hash: '0', finished: null }]
    expect(findPendingMigrations(files, records).map(({ name }) => name)).toEqual(['b', 'c'])
  })

  test('may not change once they have run', () => {
    expect(() => findPendingMigrations([{ name: 'a', hash: '2' }], [ran])).toThrow(
      'migrations/a has changed since it ran (2026-11-01T00:00:00.000Z). Restore the file',
    )
  })
})
