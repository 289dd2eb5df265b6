import { afterAll, beforeAll, describe, test } from 'vitest'
import { CASES } from './suite/index.ts'
import { COOKIES } from './suite/sessions.ts'
import { type BrowserPage, openPage } from './support/browser.ts'
import { startServers } from './support/servers.ts'

describe('in a browser', () => {
  let browser: BrowserPage
  let servers: Awaited<ReturnType<typeof startServers>>
  beforeAll(async () => {
    browser = await openPage()
    servers = await startServers([browser.origin])
  })
  afterAll(async () => {
    await servers[Symbol.asyncDispose]()
    await browser[Symbol.asyncDispose]()
  })

  test.each([...CASES, ...COOKIES])('$name', async ({ name }) => {
    const { service, token, scripted } = servers
    await browser.page.evaluate(`runCase(${JSON.stringify(name)}, ${JSON.stringify({ service, token, scripted })})`)
  })
})
