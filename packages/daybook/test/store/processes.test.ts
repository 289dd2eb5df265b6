import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { STORES } from '../support/stores/stores.ts'

const run = promisify(execFile)
const STARTS = join(import.meta.dirname, 'starts.ts')

test.each(STORES)(
  'services that start concurrently on a new store of $name all start, and seed it once',
  async (store) => {
    for (let round = 0; round < 3; round += 1) {
      await using place = await store.at()
      const starts = ['a', 'b', 'c'].map((name) => run(process.execPath, [STARTS, place.address, '10', name]))
      const ends = await Promise.allSettled(starts)
      expect(ends.map((end) => (end.status === 'fulfilled' ? end.value.stdout : String(end.reason)))).toEqual(
        Array.from({ length: 3 }, () => 'done\n'),
      )
      expect(await place.rows("SELECT count(*) AS n FROM posts WHERE slug = 'seeded'")).toEqual([{ n: 1 }])
      expect(await place.rows('SELECT count(*) AS n FROM posts')).toEqual([{ n: 31 }])
      expect(await place.rows('SELECT seq, (SELECT count(*) FROM daybook$journal) AS n FROM daybook$head')).toEqual([
        { seq: 31, n: 31 },
      ])
      expect(await place.rows("SELECT counts FROM daybook$collections WHERE key = 'posts'")).toEqual([
        { counts: '{"":31}' },
      ])
      // PostgreSQL checks its own files.
      if (store.name === 'sqlite')
        expect(await place.rows('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }])
    }
  },
)
