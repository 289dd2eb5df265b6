import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createService } from 'daybook'
import { expect, onTestFinished, test } from 'vitest'
import config from '../daybook.config.ts'

const CONFIG = fileURLToPath(new URL('../daybook.config.ts', import.meta.url))
const DAYBOOK = fileURLToPath(new URL('../../../node_modules/.bin/daybook', import.meta.url))

test('topics that were written in several ways are counted together after the migration', async () => {
  const data = await mkdtemp(join(tmpdir(), 'magazine-'))
  onTestFinished(() => rm(data, { recursive: true }))
  const before = await createService(config, { data })
  await before.content.create('articles', { title: 'Ink', topics: ['Trades ', 'trades', 'Ink'] })
  await before.close()

  const { stdout } = await promisify(execFile)(DAYBOOK, ['migrate', '--apply', '--config', CONFIG, '--data', data])
  expect(stdout).toContain('1 articles have tidier topics now')

  const after = await createService(config, { data })
  onTestFinished(() => after.close())
  const { items } = await after.content.list('articles', { where: { topics: { in: ['trades'] } }, sort: 'title' })
  expect(items.map(({ title, topics }) => [title, topics])).toEqual([
    ['Ink', ['trades', 'ink']],
    ['Seven questions to a bookbinder', ['books', 'trades']],
    ['The last typewriter mechanic', ['trades']],
  ])
})
