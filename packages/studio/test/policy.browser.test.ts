import { serveUploads } from 'daybook/plugins'
import type { TestService } from 'daybook/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OpenBrowser, openBrowser } from '../../client/test/support/browser.ts'
import { FOREIGN_CODE, FOREIGN_FILES, isStyledBy, runnableAs } from '../../client/test/support/foreign-code.ts'
import { museumOf } from './support/configs.ts'
import { INES, isShown } from './support/people.ts'
import { visitStudio } from './support/visit.ts'

let open: OpenBrowser
beforeAll(async () => {
  open = await openBrowser()
}, 120_000)
afterAll(() => open[Symbol.asyncDispose]())

test('the Studio runs only its own scripts and style sheets, not others of its origin', async () => {
  const museum = museumOf(1)
  const config = { ...museum, routes: FOREIGN_CODE, plugins: [...(museum.plugins ?? []), serveUploads()] }
  await using visit = await visitStudio(open, config, { as: INES })
  const { page, service } = visit
  await isShown(page, 'Overview')
  await uploadForeignFiles(service)
  expect(await visit.takeFaults()).toEqual([])
  for (const folder of ['/uploads', '']) {
    expect(await runnableAs(page, `${folder}/foreign.js`), folder).toEqual([])
    expect(await isStyledBy(page, `${folder}/foreign.css`), folder).toBe(false)
  }
  const faults = (await visit.takeFaults()).join('\n')
  expect(faults).toContain(`policy: script-src-elem ${visit.url}/foreign.js`)
  expect(faults).toContain(`policy: style-src-elem ${visit.url}/foreign.css`)
})

test('uploaded scripts and style sheets run in no page of the origin, even one without a policy', async () => {
  const museum = museumOf(1)
  const config = { ...museum, plugins: [...(museum.plugins ?? []), serveUploads()] }
  await using visit = await visitStudio(open, config, { path: '/api/health' })
  const { page, service } = visit
  await uploadForeignFiles(service)
  expect(await runnableAs(page, '/uploads/foreign.js')).toEqual([])
  expect(await isStyledBy(page, '/uploads/foreign.css')).toBe(false)
})

async function uploadForeignFiles(service: TestService): Promise<void> {
  for (const [filename, content] of Object.entries(FOREIGN_FILES)) {
    const body = new FormData()
    body.set('file', new Blob([content]), filename)
    body.set('filename', filename)
    const headers = { Authorization: `Bearer ${service.token}` }
    expect((await service.request('/api/assets', { method: 'POST', headers, body })).status).toBe(201)
  }
}
