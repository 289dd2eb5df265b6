import { join } from 'node:path'
import NativeDatabase from 'better-sqlite3'
import { createTestService, type TestService } from 'daybook/testing'
import { expect, test } from 'vitest'
import { send } from '../../postgres/load.ts'
import { Lock } from '../../postgres/lock.ts'
import { posts } from '../../postgres/posts.ts'
import { patientPostgres } from '../../support/postgres/patient-postgres.ts'
import { PostgresDatabase } from '../../support/postgres/postgres-database.ts'

/** A service, and somebody else who can keep its writers waiting. */
interface Scene extends AsyncDisposable {
  readonly service: TestService<typeof posts>
  /** Takes what writers take turns with; what comes back gives it back. */
  hold(): Promise<() => Promise<void>>
}

const SCENES: Readonly<Record<string, () => Promise<Scene>>> = {
  'the file': async () => {
    const service = await createTestService(posts)
    const native = new NativeDatabase(join(service.data, 'daybook.db'), { timeout: 1000 })
    return {
      service,
      hold: async () => {
        native.exec('BEGIN IMMEDIATE')
        return async () => void native.exec('ROLLBACK')
      },
      async [Symbol.asyncDispose]() {
        native.close()
        await service.close()
      },
    }
  },
  PostgreSQL: async () => {
    const database = await PostgresDatabase.make()
    const service = await createTestService({ ...posts, database: patientPostgres(database.url) })
    return {
      service,
      hold: async () => {
        const lock = await Lock.of(database.url, 'SELECT seq FROM daybook$head FOR UPDATE')
        return async () => {
          await lock.release()
          await lock[Symbol.asyncDispose]()
        }
      },
      async [Symbol.asyncDispose]() {
        await service.close()
        await database[Symbol.asyncDispose]()
      },
    }
  },
}

test.each(Object.entries(SCENES))(
  'while another program writes to %s, writers are told to come again, and readers notice nothing (C10)',
  async (_name, make) => {
    await using scene = await make()
    const { service } = scene
    const create = (title: string) => send(service, '/api/posts', { json: { title } })
    expect((await create('before')).status).toBe(201)
    const release = await scene.hold()
    const storm = Array.from({ length: 100 }, (_, index) => create(`post ${index}`))
    const read = await send(service, '/api/posts/before')
    expect(read.status).toBe(200)
    for (const { status, headers, text } of await Promise.all(storm)) {
      expect([status, headers.get('retry-after')]).toEqual([503, '1'])
      expect(JSON.parse(text)).toMatchObject({ code: 'SERVICE_UNAVAILABLE', details: {} })
    }
    await release()
    expect((await create('after')).status).toBe(201)
    const { items, total } = JSON.parse((await send(service, '/api/posts?sort=createdAt')).text)
    expect([total, items.map(({ title }: { title: string }) => title)]).toEqual([2, ['before', 'after']])
  },
)
