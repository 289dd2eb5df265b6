import { afterAll, beforeAll, describe, test } from 'vitest'
import { CASES } from './suite/index.ts'
import { createTestContext } from './suite/test-context.ts'
import { startServers } from './support/servers.ts'

describe('in Node', () => {
  let servers: Awaited<ReturnType<typeof startServers>>
  beforeAll(async () => {
    servers = await startServers([])
  })
  afterAll(() => servers[Symbol.asyncDispose]())

  test.each(CASES)('$name', async ({ run }) => {
    await run(createTestContext(servers))
  })
})
