import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { Folder } from './folder.ts'

const run = promisify(execFile)
const STARTS = join(import.meta.dirname, 'starts.ts')

test('services that start at once on one new file all come up, and seed it once', async () => {
  for (let round = 0; round < 3; round += 1) {
    await using folder = await Folder.make()
    const starts = ['a', 'b', 'c'].map((name) => run(process.execPath, [STARTS, folder.path, '10', name]))
    const ends = await Promise.allSettled(starts)
    expect(ends.map((end) => (end.status === 'fulfilled' ? end.value.stdout : String(end.reason)))).toEqual(
      Array.from({ length: 3 }, () => 'done\n'),
    )
    expect(folder.rows("SELECT count(*) AS n FROM posts WHERE slug = 'seeded'")).toEqual([{ n: 1 }])
    expect(folder.rows('SELECT count(*) AS n FROM posts')).toEqual([{ n: 31 }])
    expect(folder.rows('SELECT seq, (SELECT count(*) FROM daybook$journal) AS n FROM daybook$head')).toEqual([
      { seq: 31, n: 31 },
    ])
    expect(folder.rows('SELECT counts FROM daybook$collections')).toEqual([{ counts: '{"":31}' }])
    expect(folder.rows('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }])
  }
})
