import { type DaybookConfig, defineCollection, defineConfig, f } from 'daybook'
import { serveUploads } from 'daybook/plugins'
import type { TestService } from 'daybook/testing'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OpenBrowser, openBrowser } from '../../../client/test/support/browser.ts'
import { SLOW_MACHINE_LIMITS } from '../../../daybook/test/support/timeouts.ts'
import { studio } from '../../src/index.ts'
import { png, storeFile } from '../assets/support.ts'
import { visitEntry } from './support/pages.ts'

const magazine: DaybookConfig = defineConfig({
  limits: { ...SLOW_MACHINE_LIMITS, signInsPerMinute: 1000 },
  plugins: [studio(), serveUploads()],
  collections: {
    articles: defineCollection({ fields: { title: f.text({ required: true }), body: f.markdown() } }),
    authors: defineCollection({ fields: { name: f.text({ required: true }) } }),
  },
})

let open: OpenBrowser
const picture = png(320, 200, [38, 84, 124])
beforeAll(async () => {
  open = await openBrowser()
})
afterAll(() => open[Symbol.asyncDispose]())

const openText = async (page: Page): Promise<void> => {
  await page.locator('.cm-content').click()
  await page.keyboard.press('ControlOrMeta+End')
}

/** A closed dialog returns the focus to the text. */
const isInText = (page: Page): Promise<void> => page.locator('.cm-content:focus').waitFor()

describe('dialogs of a text', () => {
  test('link an entry by search, an address, and remove a link, by keyboard alone', async () => {
    let authorId = ''
    const before = async (service: TestService): Promise<void> => {
      authorId = String((await service.content.create('authors', { name: 'Ines Prado' })).id)
    }
    const data = { title: 'Ink', body: 'Written by ' }
    await using visit = await visitEntry(open, magazine, 'articles', data, { before })
    const { page } = visit
    await openText(page)
    await page.keyboard.press('ControlOrMeta+Shift+k')
    const dialog = page.getByRole('dialog', { name: 'Add a link' })
    await dialog.getByRole('combobox', { name: 'Link to' }).waitFor()
    await page.keyboard.type('Ines')
    await page.getByRole('option', { name: 'Ines Prado' }).waitFor()
    await visit.shoot('link-dialog')
    expect(await visit.axeFaults()).toEqual([])
    await page.keyboard.press('Enter')
    await dialog.getByText('Ines Prado').waitFor()
    expect(await dialog.getByLabel('Text').inputValue()).toBe('Ines Prado')
    await visit.shoot('link-dialog-chosen')
    await dialog.getByLabel('Text').press('Enter')
    await dialog.waitFor({ state: 'detached' })
    await isInText(page)
    await page.keyboard.type(' of ')
    await page.keyboard.press('ControlOrMeta+Shift+k')
    await dialog.getByRole('combobox', { name: 'Link to' }).fill('example.org/a')
    await page.keyboard.press('Enter')
    await dialog.getByLabel('Text').fill('the museum')
    await dialog.getByLabel('Title').fill('Its "page"')
    await dialog.getByLabel('Title').press('Enter')
    await dialog.waitFor({ state: 'detached' })
    await isInText(page)
    await visit.save()
    const expected = `Written by [Ines Prado](daybook:authors/${authorId}) of [the museum](https://example.org/a "Its \\"page\\"")`
    expect((await visit.stored()).body).toBe(expected)
    await openText(page)
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('ControlOrMeta+Shift+k')
    const editing = page.getByRole('dialog', { name: 'Edit the link' })
    await editing.getByText('https://example.org/a').waitFor()
    expect(await editing.getByLabel('Title').inputValue()).toBe('Its "page"')
    await editing.getByRole('button', { name: 'Remove link' }).press('Enter')
    await editing.waitFor({ state: 'detached' })
    await isInText(page)
    await visit.save()
    expect((await visit.stored()).body).toBe(`Written by [Ines Prado](daybook:authors/${authorId}) of the museum`)
    expect(await visit.takeFaults()).toEqual([])
  })

  test('add an image from the library and one from the disk, with alt text, caption and size', async () => {
    const before = (service: TestService) => storeFile(service, 'pot.png', { bytes: picture, alt: 'A pot of ink' })
    await using visit = await visitEntry(open, magazine, 'articles', { title: 'Ink', body: 'Look:' }, { before })
    const { page } = visit
    await openText(page)
    await page.getByRole('toolbar').getByRole('button', { name: 'Image' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add images' })
    await dialog.getByRole('button', { name: 'Choose from the library' }).waitFor()
    await visit.shoot('image-dialog')
    expect(await visit.axeFaults()).toEqual([])
    await dialog.getByRole('button', { name: 'Choose from the library' }).click()
    const picker = page.getByRole('dialog', { name: 'Choose from the library' })
    await picker.getByRole('button', { name: 'pot.png' }).first().click()
    await picker.getByRole('button', { name: /1/ }).last().click()
    await picker.waitFor({ state: 'detached' })
    expect(await dialog.getByLabel('Description (alt text)').inputValue()).toBe('A pot of ink')
    await dialog.getByLabel('Caption').fill('From 1786')
    await dialog.getByLabel('Size').selectOption({ label: 'Medium (640 pixels)' })
    await visit.shoot('image-dialog-chosen')
    expect(await visit.axeFaults()).toEqual([])
    await dialog.getByRole('button', { name: 'Insert', exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
    await isInText(page)
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    await page.getByRole('toolbar').getByRole('button', { name: 'Image' }).click()
    await dialog.locator('input[type=file]').setInputFiles({ name: 'ink.png', mimeType: 'image/png', buffer: picture })
    await dialog.getByLabel('Description (alt text)').fill('Ink [black]')
    await dialog.getByLabel('Description (alt text)').press('Enter')
    await dialog.waitFor({ state: 'detached' })
    await isInText(page)
    await visit.save()
    const { body, bodyHtml } = await visit.stored()
    expect(body).toMatch(
      /^Look:\n\n!\[A pot of ink\]\(\/uploads\/[\w./-]+\.png#width=640 "From 1786"\)\n\n!\[Ink \\\[black\\\]\]\(\/uploads\/[\w./-]+\.png\)$/,
    )
    expect(bodyHtml).toMatch(
      /<figure><img src="\/uploads\/[\w./-]+\.png" alt="A pot of ink" width="640"><figcaption>From 1786<\/figcaption><\/figure>/,
    )
    await openText(page)
    await page.keyboard.press('ArrowLeft')
    await page.getByRole('toolbar').getByRole('button', { name: 'Image' }).click()
    const editing = page.getByRole('dialog', { name: 'Edit the image' })
    expect(await editing.getByLabel('Description (alt text)').inputValue()).toBe('Ink [black]')
    await editing.getByText('Decorative').click()
    await editing.getByRole('button', { name: 'Apply' }).click()
    await editing.waitFor({ state: 'detached' })
    await isInText(page)
    await visit.save()
    expect((await visit.stored()).body).toMatch(/\n\n!\[\]\(\/uploads\/[\w./-]+\.png\)$/)
    expect(await visit.takeFaults()).toEqual([])
  })
})
