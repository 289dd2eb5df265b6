import { join } from 'node:path'
import { expect, it } from 'vitest'
import { PostgresDatabase } from '../../support/postgres/postgres-database.ts'
import { SLOW_MACHINE_DATABASE } from '../../support/postgres/slow-machine-postgres.ts'
import { daybook, folderOf } from '../cli.ts'

const POSTGRES = join(import.meta.dirname, '../../../src/store/postgres/index.ts')
const IMPORT = ['import', 'posts', '--collection', 'posts'] as const

const page = (title: string): string => `---\ntitle: ${title}\nauthor: Inés\n---\n\nText.\n`

it('daybook import --dry-run imports into a copy of the database, and leaves the database unchanged', async () => {
  await using database = await PostgresDatabase.make()
  const config = (title: string): string => `import { defineConfig, f } from 'DAYBOOK'
import { postgres } from '${POSTGRES}'
export default defineConfig({
  database: postgres('${database.url}', ${JSON.stringify(SLOW_MACHINE_DATABASE)}),
  locales: { default: 'en', available: ['en', 'de'] },
  collections: {
    posts: { fields: { ${title}, slug: f.slug(), body: f.markdown({ localized: true }), author: f.relation('authors') } },
    authors: { fields: { name: f.text(), slug: f.slug({ from: 'name' }) } },
  },
})
`
  await using folder = await folderOf({
    'daybook.config.ts': config('title: f.text({ unique: true })'),
    'posts/a.md': page('A'),
    'posts/b.md': page('B'),
  })
  const tables = () => database.rows("SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'")
  const stored = () =>
    database.rows<{ seq: number; title: string }>(
      "SELECT seq, doc::json ->> 'title' AS title FROM posts ORDER BY title",
    )

  const first = await daybook(folder.path, ...IMPORT, '--dry-run')
  expect(first).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('posts: 2 created, 0 updated, 0 unchanged'),
  })
  expect(await tables()).toEqual([])

  expect(await daybook(folder.path, ...IMPORT)).toMatchObject({ status: 0 })
  const before = await stored()
  expect(before.map(({ title }) => title)).toEqual(['A', 'B'])

  await folder.write({ 'posts/a.md': page('Anew'), 'posts/c.md': page('C'), 'posts/d.md': page('B') })
  const second = await daybook(folder.path, ...IMPORT, '--dry-run')
  expect(second).toMatchObject({
    status: 1,
    stdout: expect.stringContaining('1 created, 1 updated, 1 unchanged, 1 failed'),
  })
  expect(second.stderr).toContain('posts/d.md, line 2: This title is already used by another entry.')
  expect(await stored()).toEqual(before)

  await folder.write({ 'daybook.config.ts': config("headline: f.text({ renamedFrom: 'title' })") })
  const third = await daybook(folder.path, ...IMPORT, '--dry-run')
  expect(third).toMatchObject({ status: 1, stderr: expect.stringContaining('daybook migrate --apply') })
})
