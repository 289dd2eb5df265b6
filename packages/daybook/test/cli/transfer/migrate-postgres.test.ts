import { join } from 'node:path'
import { expect, it } from 'vitest'
import { PostgresDatabase } from '../../support/postgres/postgres-database.ts'
import { SLOW_MACHINE_DATABASE } from '../../support/postgres/slow-machine-postgres.ts'
import { daybook, folderOf } from '../cli.ts'
import { sendRequest, startSupervised } from '../start/supervised.ts'

const POSTGRES = join(import.meta.dirname, '../../../src/store/postgres/index.ts')

it('daybook migrate works on the database that the config names', async () => {
  await using database = await PostgresDatabase.make()
  const config = (title: string): string => `import { defineConfig, f } from 'DAYBOOK'
import { postgres } from '${POSTGRES}'
export default defineConfig({
  database: postgres('${database.url}', ${JSON.stringify(SLOW_MACHINE_DATABASE)}),
  collections: { notes: { fields: { ${title} } } },
  seed: async (content) => { await content.create('notes', { headline: 'H' }) },
})
`
  await using folder = await folderOf({ 'daybook.config.ts': config('headline: f.text()') })
  {
    await using _service = await startSupervised(folder.path)
  }
  await folder.write({ 'daybook.config.ts': config("title: f.text({ renamedFrom: 'headline' })") })
  const planned = await daybook(folder.path, 'migrate')
  expect(planned).toMatchObject({ status: 0, stderr: '' })
  expect(planned.stdout).toContain('notes.title gets the values of headline (1)')
  expect(await daybook(folder.path, 'migrate', '--apply')).toMatchObject({ status: 0, stderr: '' })
  await using service = await startSupervised(folder.path)
  const { body } = await sendRequest(`${service.url}/api/notes`)
  expect(JSON.parse(body).items).toMatchObject([{ title: 'H' }])
})
