import { chmodSync, chownSync, copyFileSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { StartupError } from 'daybook'
import { type PostgresOptions, postgres } from 'daybook/postgres'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { queryOnce, superuserUrlOf } from '../support/postgres/postgres-connection.ts'
import { PostgresServer } from '../support/postgres/postgres-server.ts'
import { eventually } from '../support/timeouts.ts'

const FOLDER = join(import.meta.dirname, '../support/tls')
const ca = readFileSync(join(FOLDER, 'server.crt'), 'utf8')

let server: PostgresServer
let url: string

beforeAll(async () => {
  server = await PostgresServer.make()
  url = superuserUrlOf(server.address)
  const [row] = await queryOnce<{ data: string }>(url, "SELECT current_setting('data_directory') AS data", [])
  const data = String(row?.data)
  const { uid, gid } = statSync(data)
  // PostgreSQL rejects a key that others can read.
  for (const file of ['server.key', 'server.crt']) {
    copyFileSync(join(FOLDER, file), join(data, file))
    chownSync(join(data, file), uid, gid)
    chmodSync(join(data, file), 0o600)
  }
  await queryOnce(url, 'ALTER SYSTEM SET ssl = on', [])
  await queryOnce(url, 'SELECT pg_reload_conf()', [])
  await eventually(async () => expect(await isEncrypted(url, { ssl: { ca } })).toBe(true))
})

afterAll(() => server[Symbol.asyncDispose]())

async function isEncrypted(address: string, options: PostgresOptions): Promise<boolean> {
  const database = await postgres(address, options).open()
  try {
    const text = 'SELECT ssl::integer AS ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()'
    const row = await database.reader.get<{ ssl: number }>({ sql: text, bind: () => [] })
    return row?.ssl === 1
  } finally {
    await database.close()
  }
}

describe('a connection to PostgreSQL over TLS', () => {
  test('is encrypted if TLS is on and the certificate is trusted', async () => {
    expect(await isEncrypted(url, { ssl: { ca } })).toBe(true)
    expect(await isEncrypted(url, {})).toBe(false)
  })

  test('fails if the certificate is not trusted, with advice', async () => {
    const failure = await postgres(`${url}?sslmode=verify-full`)
      .open()
      .catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(StartupError)
    expect((failure as Error).message).toMatch(/certificate .* not trusted\. .*ca/)
    expect((failure as Error).message).not.toContain(server.address.password)
  })

  test('fails if the server has no TLS, with advice', async () => {
    await using plain = await PostgresServer.make()
    const failure = await postgres(`${superuserUrlOf(plain.address)}?sslmode=verify-full`)
      .open()
      .catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(StartupError)
    expect((failure as Error).message).toContain('does not speak TLS')
  })
})
