import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { serve } from 'daybook/node'
import { createTestService } from 'daybook/testing'
import { expect, onTestFinished, test } from 'vitest'
import { openBrowser } from '../../../packages/client/test/support/browser.ts'
import config from '../daybook.config.ts'
import { connect } from '../site/cms.ts'
import { makeSite } from '../site/site.ts'

test('the live page shows what is printed and what is taken back, in a browser that is never told to read again', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const service = await createTestService({ ...config, cors: { origins: [origin] } })
  const content = await serve(service, { port: 0 })
  server.on('request', getRequestListener(makeSite(connect(content.url), content.url).fetch))
  const browser = await openBrowser()
  onTestFinished(async () => {
    await browser[Symbol.asyncDispose]()
    server.closeAllConnections()
    server.close()
    await content.stop(100)
  })

  const page = await browser.browser.newPage()
  await page.goto(`${origin}/live`)
  const lines = page.locator('#live li')
  await expect.poll(() => lines.allTextContents(), { timeout: 30_000 }).toContain('Why tower clocks gain in winter')
  expect(await lines.allTextContents()).not.toContain('The last typewriter mechanic')

  const { items } = await service.content.list('articles')
  const draft = items.find(({ title }) => title === 'The last typewriter mechanic')
  const printed = items.find(({ status, section }) => status === 'published' && section !== null)
  const change = (id: string | undefined, data: object) => service.content.update('articles', String(id), data as never)
  await change(draft?.id, { status: 'published', publishedOn: '2026-11-01', section: printed?.section })
  await expect.poll(() => lines.allTextContents(), { timeout: 30_000 }).toContain('The last typewriter mechanic')
  await change(draft?.id, { title: 'The very last typewriter mechanic' })
  await expect.poll(() => lines.allTextContents(), { timeout: 30_000 }).toContain('The very last typewriter mechanic')
  await change(draft?.id, { status: 'draft' })
  await expect
    .poll(() => lines.allTextContents(), { timeout: 30_000 })
    .not.toContain('The very last typewriter mechanic')
})
