import { Readable } from 'node:stream'
import type { TestService } from 'daybook/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OpenBrowser, openBrowser } from '../../../client/test/support/browser.ts'
import { gallery, storeFile } from '../assets/support.ts'
import { museumOf } from '../support/configs.ts'
import { INES, isShown } from '../support/people.ts'
import { visitStudio } from '../support/visit.ts'

let open: OpenBrowser
beforeAll(async () => {
  open = await openBrowser()
}, 120_000)
afterAll(() => open[Symbol.asyncDispose]())

const config = museumOf(60)

async function deletePosts(service: TestService, ...numbers: readonly number[]): Promise<void> {
  const content = service.content
  for (const number of numbers) {
    const post = await content.get('posts', `post-${number}`)
    await content.delete('posts', post?.id ?? '')
  }
}

describe('the trash of a collection', () => {
  test('lists deleted entries with their time and author, and restores one by keyboard', async () => {
    await using visit = await visitStudio(open, config, { as: INES, path: '/studio/c/posts' })
    const { page, service } = visit
    await page.getByRole('link', { name: 'Trash' }).click()
    await isShown(page, 'Trash')
    await page.getByRole('heading', { name: 'The trash is empty' }).waitFor()
    expect(await visit.axeFaults()).toEqual([])
    await page.getByRole('link', { name: 'Posts', exact: true }).first().click()
    await page.getByRole('link', { name: 'Post 58', exact: true }).click()
    await isShown(page, 'Post 58')
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Delete …' }).click()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await isShown(page, 'Posts')
    await page.getByRole('link', { name: 'Trash' }).press('Enter')
    const row = page.getByRole('listitem').filter({ hasText: 'Post 58' })
    await row.getByText(/^deleted .*by you$/).waitFor()
    expect(await visit.axeFaults()).toEqual([])
    await visit.shoot('trash')
    await row.getByRole('button', { name: 'Restore “Post 58”' }).press('Enter')
    await isShown(page, 'Post 58')
    expect(await service.content.get('posts', 'post-58')).toMatchObject({ status: 'draft' })
    await page.goBack()
    await page.getByRole('heading', { name: 'The trash is empty' }).waitFor()
    expect(await visit.takeFaults()).toEqual([])
  })

  test('of files lists and restores them, and reports a conflicting path', async () => {
    await using visit = await visitStudio(open, gallery, {
      as: INES,
      path: '/studio/assets',
      before: async (service) => void (await storeFile(service, 'harbour.png')),
    })
    const { page, service } = visit
    const removeFile = async (): Promise<void> => {
      await page.getByRole('link', { name: 'harbour.png' }).click()
      await isShown(page, 'harbour.png')
      await page.getByRole('button', { name: 'Delete', exact: true }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByText('stays in the trash for some time').waitFor()
      await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
      await isShown(page, 'Files')
      await page.getByRole('link', { name: 'Trash' }).click()
      await isShown(page, 'Trash')
    }
    await page.getByRole('link', { name: 'Trash' }).click()
    await page.getByText('Deleted files appear here').waitFor()
    await page.getByRole('main').getByRole('link', { name: 'Files' }).click()
    await isShown(page, 'Files')
    await removeFile()
    const restore = page.getByRole('button', { name: 'Restore “harbour.png”' })
    expect(await visit.axeFaults()).toEqual([])
    await restore.click()
    await isShown(page, 'harbour.png')
    const [asset] = (await service.content.list('assets')).items
    await page.goBack()
    await page.getByText('Deleted files appear here').waitFor()
    await page.getByRole('main').getByRole('link', { name: 'Files' }).click()
    await removeFile()
    const { directory, filename } = asset as unknown as { readonly directory: string; readonly filename: string }
    await service.content.files.store(Readable.from([Buffer.from('x')]), {
      originalName: 'other.txt',
      directory,
      filename,
    })
    await restore.click()
    await page.getByRole('alert').getByText('Its address is already used by another file.').waitFor()
    // The browser logs the response 409.
    expect((await visit.takeFaults()).filter((fault) => !fault.includes('409'))).toEqual([])
  })

  test('names the value that another entry has taken, and loads page by page, also in German', async () => {
    await using visit = await visitStudio(open, config, {
      as: INES,
      path: '/studio/c/posts/trash',
      locale: 'de-DE',
      before: async (service) => {
        await deletePosts(service, ...Array.from({ length: 52 }, (_, index) => index + 1))
        await service.content.create('posts', { title: 'Another one', slug: 'post-52' })
      },
    })
    const { page } = visit
    await isShown(page, 'Papierkorb')
    const rows = page.getByRole('main').getByRole('listitem')
    await rows.first().getByText('Post 52').waitFor()
    expect(await rows.count()).toBe(50)
    await page.getByRole('button', { name: 'Mehr anzeigen' }).click()
    await rows.filter({ hasText: /^Post 1gelöscht/ }).waitFor()
    expect(await rows.count()).toBe(52)
    await page.getByRole('button', { name: '„Post 52“ wiederherstellen' }).click()
    await rows.first().getByRole('alert').getByText('„Slug“').waitFor()
    expect(await visit.axeFaults()).toEqual([])
    // The browser logs the response 409.
    expect((await visit.takeFaults()).filter((fault) => !fault.includes('409'))).toEqual([])
  })
})
