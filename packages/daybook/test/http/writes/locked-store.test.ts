import { join } from 'node:path'
import NativeDatabase from 'better-sqlite3'
import { createTestService, type TestService } from 'daybook/testing'
import { expect, test } from 'vitest'
import { send } from '../../postgres/load.ts'
import { Lock } from '../../postgres/lock.ts'
import { posts } from '../../postgres/posts.ts'
import { PostgresDatabase } from '../../support/postgres/postgres-database.ts'
import { slowMachinePostgres } from '../../support/postgres/slow-machine-postgres.ts'

/** A service whose store another program can lock. */
interface Scene extends AsyncDisposable {
  readonly service: TestService<typeof posts>
  /** Takes the lock that writers need, and returns a function that releases it. */
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
    const service = await createTestService({ ...posts, database: slowMachinePostgres(database.url) })
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
  'while another program locks %s, writes get 503 with Retry-After, and reads succeed',
  async (_name, openScene) => {
    await using scene = await openScene()
    const { service } = scene
    const create = (title: string) => send(service, '/api/posts', { json: { title } })
    expect((await create('before')).status).toBe(201)
    const release = await scene.hold()
    const writes = Array.from({ length: 100 }, (_, index) => create(`post ${index}`))
    const read = await send(service, '/api/posts/before')
    expect(read.status).toBe(200)
    for (const { status, headers, text } of await Promise.all(writes)) {
      expect([status, headers.get('retry-after')]).toEqual([503, '1'])
      expect(JSON.parse(text)).toMatchObject({ code: 'SERVICE_UNAVAILABLE', details: {} })
    }
    await release()
    expect((await create('after')).status).toBe(201)
    const { items, total } = JSON.parse((await send(service, '/api/posts?sort=createdAt')).text)
    expect([total, items.map(({ title }: { title: string }) => title)]).toEqual([2, ['before', 'after']])
  },
)
