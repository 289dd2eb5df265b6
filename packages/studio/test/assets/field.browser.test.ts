import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OpenBrowser, openBrowser } from '../../../client/test/support/browser.ts'
import { dropFiles } from '../support/drop.ts'
import { INES, isShown } from '../support/people.ts'
import { visitStudio } from '../support/visit.ts'
import { gallery, pictureFile, png, storeFile } from './support.ts'

let open: OpenBrowser
beforeAll(async () => {
  open = await openBrowser()
}, 120_000)
afterAll(() => open[Symbol.asyncDispose]())

/** Stores files, and opens a post that does not refer to them. */
async function visitPost(names: readonly string[]) {
  let id = ''
  const visit = await visitStudio(open, gallery, {
    as: INES,
    before: async (service) => {
      for (const name of names) {
        const bytes = name.endsWith('.txt') ? { bytes: Buffer.from(name) } : {}
        await storeFile(service, name, { alt: `Alt of ${name}`, ...bytes })
      }
      const post = await service.content.create('posts', { title: 'A post', status: 'draft' })
      id = String(post.id)
    },
  })
  await isShown(visit.page, 'Overview')
  await visit.page.goto(`${visit.url}/studio/c/posts/${id}`)
  await isShown(visit.page, 'A post')
  const stored = async () => visit.service.content.get('posts', id, { draft: true })
  return { visit, stored }
}

describe('the editor of files', () => {
  test('lets people choose one accepted file, and remove it again', async () => {
    const { visit } = await visitPost(['harbour.png', 'mill.png', 'tides.txt'])
    await using _ = visit
    const { page } = visit
    const field = page.getByRole('group', { name: 'Cover' })
    await field.getByRole('button', { name: 'Select a file' }).click()
    const picker = page.getByRole('dialog', { name: 'Cover' })
    await picker.getByText('2 files', { exact: true }).waitFor()
    expect(await picker.getByText('tides.txt').count()).toBe(0)
    await visit.shoot('picker')
    expect(await visit.axeFaults()).toEqual([])
    await picker.getByRole('searchbox').fill('mill')
    await picker.getByText('1 file', { exact: true }).waitFor()
    await picker.getByRole('button', { name: 'mill.png' }).click()
    await field.getByRole('link', { name: 'mill.png' }).waitFor()
    await field.getByText('Alt of mill.png').waitFor()
    await visit.shoot('asset-field')
    expect(await visit.axeFaults()).toEqual([])
    await field.getByRole('button', { name: 'Remove mill.png', exact: true }).click()
    await field.getByRole('link', { name: 'mill.png' }).waitFor({ state: 'detached' })
    expect(await visit.takeFaults()).toEqual([])
  })

  test('lets people choose, order and upload several files by keyboard', async () => {
    const { visit, stored } = await visitPost(['one.png', 'two.png', 'three.png'])
    await using _ = visit
    const { page } = visit
    const field = page.getByRole('group', { name: 'Pictures' })
    await field.getByRole('button', { name: 'Select files' }).focus()
    await page.keyboard.press('Enter')
    const picker = page.getByRole('dialog', { name: 'Pictures' })
    await picker.getByRole('button', { name: 'three.png' }).focus()
    await page.keyboard.press('Enter')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Enter')
    await picker.getByRole('button', { name: 'two.png', pressed: true }).waitFor()
    await picker.getByRole('button', { name: 'Use 2 files' }).focus()
    await page.keyboard.press('Enter')
    const names = () => field.getByRole('link').allTextContents()
    await field.getByRole('link', { name: 'two.png' }).waitFor()
    expect(await names()).toEqual(['three.png', 'two.png'])
    await field.getByRole('button', { name: 'Move two.png up' }).focus()
    await page.keyboard.press('Enter')
    await field.getByText('Moved to place 1 of 2').waitFor()
    expect(await names()).toEqual(['two.png', 'three.png'])
    await page
      .locator(':focus')
      .and(page.getByRole('button', { name: 'Move two.png down' }))
      .waitFor()
    const chooser = page.waitForEvent('filechooser')
    await field.getByRole('button', { name: 'Upload' }).click()
    await (await chooser).setFiles([pictureFile('crane.png'), pictureFile('ship.png')])
    await field.getByRole('link', { name: 'ship.png' }).waitFor()
    await field.getByRole('link', { name: 'crane.png' }).waitFor()
    expect(await names()).toHaveLength(4)
    await expect.poll(async () => (await stored())?.pictures).toHaveLength(4)
    await visit.shoot('asset-field-many')
    expect(await visit.axeFaults()).toEqual([])
    expect(await visit.takeFaults()).toEqual([])
  })

  test('uploads files that are dropped on it', async () => {
    const { visit, stored } = await visitPost([])
    await using _ = visit
    const { page } = visit
    const field = page.getByRole('group', { name: 'Pictures' })
    await dropFiles(field.getByRole('button', { name: 'Upload' }), [
      { name: 'crane.png', bytes: png(24, 16, [70, 120, 190]) },
      { name: 'tides.txt', bytes: Buffer.from('The tides.') },
    ])
    await field.getByRole('link', { name: 'crane.png' }).waitFor()
    await field.getByRole('link', { name: 'tides.txt' }).waitFor()
    await expect.poll(async () => (await stored())?.pictures).toHaveLength(2)
    expect(await visit.takeFaults()).toEqual([])
  })

  test('leaves an uploaded file that it does not accept in the library, and says so', async () => {
    const { visit } = await visitPost([])
    await using _ = visit
    const { page, service } = visit
    const field = page.getByRole('group', { name: 'Cover' })
    const chooser = page.waitForEvent('filechooser')
    await field.getByRole('button', { name: 'Upload' }).click()
    await (await chooser).setFiles({ name: 'tides.txt', mimeType: 'text/plain', buffer: Buffer.from('The tides.') })
    await page.getByText('tides.txt was uploaded, but this field does not accept it.').waitFor()
    expect(await field.getByRole('link').count()).toBe(0)
    expect((await service.content.list('assets')).total).toBe(1)
    expect(await visit.takeFaults()).toEqual([])
  })
})
