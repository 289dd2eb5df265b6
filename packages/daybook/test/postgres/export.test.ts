import { defineCollection, defineConfig, f } from 'daybook'
import { createTestService } from 'daybook/testing'
import { expect, test } from 'vitest'
import { PostgresDatabase } from '../support/postgres/postgres-database.ts'
import { PostgresServer } from '../support/postgres/postgres-server.ts'
import { slowMachinePostgres } from '../support/postgres/slow-machine-postgres.ts'
import { askExport, exportOf } from '../support/stores/export.ts'
import { create } from '../support/stores/place.ts'

const collections = { notes: defineCollection({ fields: { text: f.text({ index: false, search: false }) } }) }

test('an export breaks off when the server dies, is 503 while it is down, and is complete once it is back', async () => {
  await using server = await PostgresServer.make()
  await using database = await PostgresDatabase.make(server.address)
  const config = defineConfig({ database: slowMachinePostgres(database.url), collections })
  await using service = await createTestService(config, { export: true })
  const text = 'long '.repeat(10_000)
  await Promise.all(Array.from({ length: 200 }, () => create(service as never, 'notes', { text })))
  const reader = (await askExport(service)).body?.getReader()
  await reader?.read()
  await server.kill()
  const rest = async (): Promise<void> => {
    while ((await reader?.read())?.done === false);
  }
  await expect(rest()).rejects.toThrow()
  expect((await askExport(service)).status).toBe(503)
  await server.start()
  await expect.poll(async () => (await askExport(service)).status).toBe(200)
  expect((await exportOf(service)).length).toBe(202)
})
