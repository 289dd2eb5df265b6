import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ANONYMOUS, defineConfig, f } from 'daybook'
import { createTestService } from 'daybook/testing'
import { expect, test } from 'vitest'
import { blocksOf } from '../../../../scripts/markdown.ts'
import { PostgresDatabase } from '../support/postgres/postgres-database.ts'
import { slowMachinePostgres } from '../support/postgres/slow-machine-postgres.ts'

const GUIDE = join(import.meta.dirname, '../../../../docs/how-cost-grows.md')

test('a partitioned journal, made as the guide shows, is used as it is', async () => {
  await using database = await PostgresDatabase.make()
  const blocks = blocksOf(await readFile(GUIDE, 'utf8'))
  const statements = blocks.find(({ words }) => words.includes('file=partitioned-journal.sql'))?.code ?? ''
  // Makes the second partition begin at record 3, so that the test reaches it.
  await database.rows(statements.replaceAll('10000000', '3'))
  const collections = { posts: { fields: { title: f.text() } } }
  await using service = await createTestService(
    defineConfig({ database: slowMachinePostgres(database.url), collections }),
  )
  const { id } = await service.content.create('posts', { title: 'first' })
  for (const title of ['second', 'third', 'fourth']) {
    await service.content.update('posts', id, { title })
  }
  const count = `SELECT (SELECT count(*) FROM daybook$journal_0)::integer AS first,
    (SELECT count(*) FROM daybook$journal_1)::integer AS second,
    (SELECT count(*) FROM daybook$journal_payload)::integer AS states`
  expect(await database.rows(count)).toEqual([{ first: 2, second: 2, states: 3 }])
  expect(await service.content.as(ANONYMOUS).get('posts', id)).toMatchObject({ title: 'fourth' })
})
