import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { DaybookConfig } from 'daybook'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OpenBrowser, openBrowser } from '../../../client/test/support/browser.ts'
import { visitEntry } from './support/pages.ts'

const PAGE = fileURLToPath(new URL('../../../../docs/guides/studio.md', import.meta.url))

let open: OpenBrowser
let folder: string
let config: DaybookConfig
beforeAll(async () => {
  open = await openBrowser()
  // Inside the repository, so that the examples resolve the packages that they import.
  folder = await mkdtemp(fileURLToPath(new URL('../../dist/example-', import.meta.url)))
  const page = await readFile(PAGE, 'utf8')
  for (const [, name = '', code = ''] of page.matchAll(/^```\w+ file=(\S+)\n([\s\S]*?)^```$/gm)) {
    await writeFile(join(folder, name), code)
  }
  config = (await import(/* @vite-ignore */ pathToFileURL(join(folder, 'daybook.config.ts')).href)).default
}, 120_000)
afterAll(async () => {
  await open[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

describe('a custom field editor', () => {
  test('works as in the docs, and saves its value', async () => {
    await using visit = await visitEntry(open, config, 'books', { title: 'Ink', stars: 2 })
    const { page } = visit
    const stars = page.getByRole('group', { name: 'Stars' })
    await stars.getByRole('button', { name: '★★', exact: true, pressed: true }).waitFor()
    await visit.shoot('own-editor')
    expect(await visit.axeFaults()).toEqual([])
    await stars.getByRole('button', { name: '★★★★', exact: true }).click()
    await stars.getByRole('button', { name: '★★★★', exact: true, pressed: true }).waitFor()
    await visit.save()
    expect(await visit.stored()).toMatchObject({ stars: 4 })
    expect(await visit.takeFaults()).toEqual([])
  })

  test('that throws leaves the other fields intact, and shows its value for copying', async () => {
    await using visit = await visitEntry(open, config, 'books', { title: 'Ink', stars: 2 })
    const { page } = visit
    await page.route('**/editors/rating.*', (route) =>
      route.fulfill({
        contentType: 'text/javascript',
        body: 'export const mount = () => { throw new Error("broken") }',
      }),
    )
    await page.reload()
    const alert = page.getByRole('alert').filter({ hasText: 'This field cannot be shown' })
    await alert.getByText('2', { exact: true }).waitFor()
    await page.getByLabel('Title').fill('Ink and paper')
    await visit.save()
    expect(await visit.stored()).toMatchObject({ title: 'Ink and paper', stars: 2 })
  })
})
