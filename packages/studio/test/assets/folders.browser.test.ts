import type { DaybookConfig } from 'daybook'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OpenBrowser, openBrowser } from '../../../client/test/support/browser.ts'
import { INES, isShown } from '../support/people.ts'
import { visitStudio } from '../support/visit.ts'
import { gallery, storeFile } from './support.ts'

let open: OpenBrowser
beforeAll(async () => {
  open = await openBrowser()
}, 120_000)
afterAll(() => open[Symbol.asyncDispose]())

/** Access rules reject moving files with a certain alt text. */
const guarded: DaybookConfig = {
  ...gallery,
  assets: {
    ...gallery.assets,
    access: { update: () => ({ or: [{ alt: { exists: false } }, { alt: { ne: 'Stays' } }] }) },
  },
}

describe('folders of the library', () => {
  test('receive the selected files by keyboard alone, also a new folder', async () => {
    await using visit = await visitStudio(open, gallery, {
      as: INES,
      before: async (service) => {
        await storeFile(service, 'harbour.png', { directory: 'images/2026' })
        await storeFile(service, 'mill.png', { directory: 'images' })
        await storeFile(service, 'crane.png')
      },
      path: '/studio/assets?view=list&sort=originalName',
    })
    const { page, service } = visit
    await page.getByText('3 files', { exact: true }).waitFor()
    await page.getByLabel('Select crane.png').focus()
    await page.keyboard.press('Space')
    await page.getByLabel('Select mill.png').focus()
    await page.keyboard.press('Space')
    await page.getByRole('button', { name: 'Move to folder' }).focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Move 2 files to a folder' })
    await dialog.getByRole('list', { name: 'Folders' }).getByRole('button', { name: 'images' }).waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await dialog.getByRole('list', { name: 'Folders in images' }).getByRole('button', { name: '2026' }).waitFor()
    await visit.shoot('library-move')
    expect(await visit.axeFaults()).toEqual([])
    const field = dialog.getByLabel('Folder', { exact: true })
    expect(await field.inputValue()).toBe('images/')
    await field.fill('images/bäume')
    await dialog.getByText('Use letters without accents').waitFor()
    expect(await dialog.getByRole('button', { name: 'Move to folder' }).isDisabled()).toBe(true)
    await field.fill('images/trees')
    await dialog.getByText('This folder does not exist yet').waitFor()
    await page.keyboard.press('Enter')
    await page.getByText('2 files are now in images/trees').waitFor()
    const { items } = await service.content.list('assets', { sort: 'originalName' })
    expect(items.map(({ originalName, directory }) => [originalName, directory])).toEqual([
      ['crane.png', 'images/trees'],
      ['harbour.png', 'images/2026'],
      ['mill.png', 'images/trees'],
    ])
    const folders = page.getByRole('navigation', { name: 'Folders' })
    await folders.getByRole('link', { name: 'images' }).click()
    await folders.getByRole('link', { name: 'trees' }).click()
    await page.getByText('2 files', { exact: true }).waitFor()
    expect(await visit.takeFaults()).toEqual([])
  })

  test('receive a file from its page, which keeps its URL and its references', async () => {
    let id = ''
    await using visit = await visitStudio(open, gallery, {
      as: INES,
      before: async (service) => {
        id = await storeFile(service, 'harbour.png', { directory: 'images' })
        await service.content.create('posts', { title: 'The harbour', cover: id })
      },
      path: '/studio/assets?folder=images',
    })
    const { page } = visit
    await page.getByRole('link', { name: 'harbour.png' }).click()
    await isShown(page, 'harbour.png')
    await page.getByRole('link', { name: 'images', exact: true }).waitFor()
    const address = page.getByRole('link', { name: /^\/uploads\/images\/harbour-/ })
    await address.waitFor()
    await page.getByRole('button', { name: 'Move to folder' }).click()
    const dialog = page.getByRole('dialog', { name: 'Move 1 file to a folder' })
    await dialog.getByRole('button', { name: 'One level up' }).click()
    await dialog.getByRole('button', { name: 'images' }).waitFor()
    await dialog.getByRole('button', { name: 'Move to folder' }).click()
    await page.getByText('1 file is now at the top level').waitFor()
    await page.getByRole('link', { name: 'images', exact: true }).waitFor({ state: 'detached' })
    await address.waitFor()
    await page.getByRole('link', { name: 'The harbour' }).waitFor()
    expect(await visit.takeFaults()).toEqual([])
  })

  test('receive the files that may move, and list those that may not', async () => {
    await using visit = await visitStudio(open, guarded, {
      as: INES,
      before: async (service) => {
        for (const name of ['one.png', 'two.png']) await storeFile(service, name)
        await storeFile(service, 'fixed.png', { alt: 'Stays' })
      },
      path: '/studio/assets?view=list',
    })
    const { page, service } = visit
    await page.getByText('3 files', { exact: true }).waitFor()
    await page.getByLabel('Select one.png').click()
    await page.getByRole('button', { name: 'Select all loaded' }).click()
    await page.getByRole('button', { name: 'Move to folder' }).click()
    const dialog = page.getByRole('dialog', { name: 'Move 3 files to a folder' })
    await dialog.getByLabel('Folder', { exact: true }).fill('images')
    await dialog.getByRole('button', { name: 'Move to folder' }).click()
    await dialog.getByText('This file was not moved:').waitFor()
    expect(await dialog.getByRole('listitem').allTextContents()).toEqual(['fixed.png'])
    await visit.shoot('library-not-moved')
    expect(await visit.axeFaults()).toEqual([])
    await dialog.getByRole('button', { name: 'Close' }).click()
    const { total } = await service.content.list('assets', { where: { directory: { eq: 'images' } } })
    expect(total).toBe(2)
    expect(await visit.takeFaults()).toEqual([])
  })
})
