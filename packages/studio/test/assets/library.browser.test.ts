import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OpenBrowser, openBrowser } from '../../../client/test/support/browser.ts'
import { INES, isShown, makeAccount, signIn } from '../support/people.ts'
import { visitStudio } from '../support/visit.ts'
import { gallery, pictureFile, storeFile } from './support.ts'

let open: OpenBrowser
beforeAll(async () => {
  open = await openBrowser()
}, 120_000)
afterAll(() => open[Symbol.asyncDispose]())

describe('the library', () => {
  test('uploads files, reports rejected ones, edits alt text and focal point, and deletes a file', async () => {
    await using visit = await visitStudio(open, gallery, { as: INES, path: '/studio/c/assets' })
    const { page, service } = visit
    const imageStatuses = new Map<string, number>()
    page.on('response', (response) => {
      const { pathname, search } = new URL(response.url())
      if (pathname.endsWith('/image')) imageStatuses.set(search, response.status())
    })
    await isShown(page, 'Files')
    expect(new URL(page.url()).pathname).toBe('/studio/assets')
    await page.getByText('No files yet').waitFor()
    await visit.shoot('library-empty')
    expect(await visit.axeFaults()).toEqual([])
    const chooser = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Upload' }).click()
    await (await chooser).setFiles([
      pictureFile('harbour.png'),
      { name: 'page.html', mimeType: 'text/html', buffer: Buffer.from('<!doctype html><p>x') },
      { name: 'large.txt', mimeType: 'text/plain', buffer: Buffer.alloc(200_001, 'x') },
      pictureFile('mill.png', [90, 150, 80]),
    ])
    await page.getByText('2 of 4 uploaded, 2 failed').waitFor()
    await page.getByText('The file was not uploaded.').waitFor()
    await page.getByText('This is too large for the service. Make it smaller, or do it in several steps.').waitFor()
    await page.getByRole('link', { name: 'harbour.png' }).waitFor()
    await page.getByText('2 files', { exact: true }).waitFor()
    await visit.shoot('library-uploads')
    expect(await visit.axeFaults()).toEqual([])
    await page.getByRole('button', { name: 'Remove page.html from this list' }).click()
    await page.getByRole('button', { name: 'Remove large.txt from this list' }).click()
    await page.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('link', { name: 'harbour.png' }).click()
    await isShown(page, 'harbour.png')
    await page.getByText('Not used anywhere you can see.').waitFor()
    const ring = page.getByRole('button', { name: 'Focal point: 50 % from the left, 50 % from the top' })
    await ring.focus()
    await page.keyboard.press('Shift+ArrowRight')
    await page.keyboard.press('ArrowUp')
    await page.getByRole('button', { name: 'Focal point: 60 % from the left, 49 % from the top' }).waitFor()
    const loadedImages = [
      ['?w=400', 200],
      ['?w=900', 200],
    ]
    await expect.poll(() => [...imageStatuses].sort()).toEqual(loadedImages)
    await page.getByLabel('Alt text').fill('Boats in the harbour')
    await visit.shoot('asset')
    expect(await visit.axeFaults()).toEqual([])
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved', { exact: true }).waitFor()
    const [stored] = (await service.content.list('assets', { q: 'harbour' })).items
    expect(stored).toMatchObject({ alt: 'Boats in the harbour', focalPoint: { x: 0.6, y: 0.49 } })
    await page.getByRole('button', { name: 'Delete' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete this file?' })
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await isShown(page, 'Files')
    await page.getByText('1 file', { exact: true }).waitFor()
    expect(await visit.takeFaults()).toEqual([])
  })

  test('sets the focal point by pointer, and reports a conflicting save by somebody else', async () => {
    let id = ''
    await using visit = await visitStudio(open, gallery, {
      as: INES,
      before: async (service) => {
        id = await storeFile(service, 'harbour.png', { alt: 'Boats' })
      },
    })
    const { page, service, url } = visit
    await isShown(page, 'Overview')
    await page.goto(`${url}/studio/assets/${id}`)
    await isShown(page, 'harbour.png')
    const picture = page.getByRole('img', { name: 'harbour.png' })
    const box = await picture.boundingBox()
    if (!box) throw new Error('the picture is not drawn')
    await page.mouse.click(box.x + box.width * 0.25, box.y + box.height * 0.75)
    await page.getByRole('button', { name: 'Focal point: 25 % from the left, 75 % from the top' }).waitFor()
    // Somebody else saves while the request is on its way, so no live event can arrive first.
    await page.route(
      `**/api/assets/${id}*`,
      async (route) => {
        await service.content.update('assets', id, { alt: 'Ships' })
        await route.continue()
      },
      { times: 1 },
    )
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Someone else saved this in the meantime').waitFor()
    await page.getByRole('textbox', { name: 'Alt text' }).and(page.getByText('Ships')).waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved', { exact: true }).waitFor()
    const stored = await service.content.get('assets', id)
    expect(stored).toMatchObject({ alt: 'Ships', focalPoint: { x: 0.25, y: 0.75 } })
    expect(await visit.takeFaults()).toEqual([])
  })

  test('updates files that others change in place, and announces files that they add', async () => {
    let id = ''
    await using visit = await visitStudio(open, gallery, {
      before: async (service) => {
        await makeAccount(service)
        id = await storeFile(service, 'harbour.png')
      },
      path: '/studio/assets',
    })
    const { page, service } = visit
    const live = page.waitForResponse(/\/api\/cms\/events/)
    await signIn(page)
    await page.getByText('no alt text').waitFor()
    // Wait until the Studio listens: earlier changes are not announced.
    await live
    await service.content.update('assets', id, { alt: 'Boats' })
    await page.getByText('no alt text').waitFor({ state: 'detached' })
    await storeFile(service, 'mill.png', { alt: 'A mill' })
    await page.getByRole('button', { name: 'Show new files' }).click()
    await page.getByRole('link', { name: 'mill.png' }).waitFor()
    await page.getByText('2 files', { exact: true }).waitFor()
    await service.content.delete('assets', id)
    await page.getByRole('link', { name: 'harbour.png' }).waitFor({ state: 'detached' })
    await page.getByText('1 file', { exact: true }).waitFor()
    expect(await visit.takeFaults()).toEqual([])
  })

  test('works on a phone, in German', async () => {
    const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true, locale: 'de-DE' }
    await using visit = await visitStudio(open, gallery, {
      before: async (service) => {
        await makeAccount(service)
        await storeFile(service, `${'sehr lang '.repeat(20)}.png`, { directory: 'bilder' })
      },
      path: '/studio/assets',
      ...phone,
    })
    const { page } = visit
    await page.getByLabel('E-Mail-Adresse').fill(INES.email)
    await page.getByLabel('Passwort').fill(INES.password)
    await page.getByRole('button', { name: 'Anmelden', exact: true }).tap()
    await isShown(page, 'Dateien')
    await page.getByText('ohne Alternativtext').waitFor()
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(360)
    expect(await visit.axeFaults()).toEqual([])
    await page.getByRole('link', { name: /^sehr lang/ }).tap()
    await page.getByLabel('Alternativtext').waitFor()
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(360)
    expect(await visit.axeFaults()).toEqual([])
    expect(await visit.takeFaults()).toEqual([])
  })

  test('searches by words, type and folder, and keeps the search in the URL', async () => {
    await using visit = await visitStudio(open, gallery, {
      before: async (service) => {
        await makeAccount(service)
        await storeFile(service, 'harbour.png', { directory: 'images/2026' })
        await storeFile(service, 'mill.png', { directory: 'images/2025' })
        await storeFile(service, 'tides.txt', { bytes: Buffer.from('tides'), directory: 'tables' })
        await storeFile(service, 'top.txt', { bytes: Buffer.from('top') })
      },
      path: '/studio/assets',
    })
    const { page } = visit
    await signIn(page)
    await page.getByText('4 files', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'All types' }).click()
    await page.getByRole('menuitemradio', { name: 'Documents' }).click()
    await page.getByText('2 files', { exact: true }).waitFor()
    await page.waitForURL(/kind=document/)
    await page.getByRole('searchbox').fill('tides')
    await page.getByText('1 file', { exact: true }).waitFor()
    await page.getByRole('searchbox').fill('nothing like it')
    await page.getByText('Nothing found').waitFor()
    await page.getByRole('button', { name: 'Show all files' }).click()
    await page.getByText('4 files', { exact: true }).waitFor()
    const folders = page.getByRole('navigation', { name: 'Folders' })
    await folders.getByRole('link', { name: 'images' }).click()
    await page.getByText('2 files', { exact: true }).waitFor()
    await folders.getByRole('link', { name: '2026' }).click()
    await page.getByText('1 file', { exact: true }).waitFor()
    await page.waitForURL(/folder=images/)
    await visit.shoot('library-folder')
    expect(await visit.axeFaults()).toEqual([])
    await page.reload()
    await page.getByRole('link', { name: 'harbour.png' }).waitFor()
    const chooser = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Upload' }).click()
    await (await chooser).setFiles([pictureFile('crane.png')])
    await page.getByRole('link', { name: 'crane.png' }).click()
    await page.getByRole('link', { name: 'images/2026', exact: true }).waitFor()
    expect(await visit.takeFaults()).toEqual([])
  })

  test('uploads files that are dropped on it, and resumes after a lost connection', async () => {
    await using visit = await visitStudio(open, gallery, { as: INES, path: '/studio/assets' })
    const { page } = visit
    await page.getByText('No files yet').waitFor()
    await page.context().setOffline(true)
    const drag = await page.evaluateHandle<DataTransfer>(`(() => {
      const drag = new DataTransfer()
      drag.items.add(new File(['The tides.'], 'tides.txt', { type: 'text/plain' }))
      return drag
    })()`)
    const zone = page.getByText('No files yet')
    await zone.dispatchEvent('dragenter', { dataTransfer: drag })
    await page.getByText('Drop files to upload them').waitFor()
    await zone.dispatchEvent('drop', { dataTransfer: drag })
    await page.getByText('waiting for the service').waitFor()
    await page.context().setOffline(false)
    await page.getByText('1 of 1 uploaded').waitFor()
    await page.getByRole('link', { name: 'tides.txt' }).waitFor()
    expect(await visit.takeFaults()).toEqual([])
  })

  test('deletes several files except required ones, and sets the alt text of several', async () => {
    await using visit = await visitStudio(open, gallery, {
      as: INES,
      before: async (service) => {
        for (const name of ['one.png', 'two.png', 'three.png']) await storeFile(service, name)
        const scan = await storeFile(service, 'needed.png')
        await service.content.create('prints', { title: 'A print', scan })
      },
      path: '/studio/assets?view=list',
    })
    const { page, service } = visit
    await page.getByText('4 files', { exact: true }).waitFor()
    await page.getByLabel('Select one.png').click()
    await page.getByLabel('Select needed.png').click({ modifiers: ['Shift'] })
    await page.getByText('4 files selected').waitFor()
    await page.getByRole('button', { name: 'Set alt text' }).click()
    const texts = page.getByRole('dialog', { name: 'Alt text of 4 files' })
    await texts.getByLabel('Alt text').fill('Of the museum')
    await texts.getByRole('button', { name: 'Save' }).click()
    await page.getByText('4 files changed').waitFor()
    const { items } = await service.content.list('assets', { select: ['alt'] })
    expect(items.map(({ alt }) => alt)).toEqual(Array(4).fill('Of the museum'))
    await page.getByLabel('Select two.png').click()
    await page.getByLabel('Select needed.png').click()
    await visit.shoot('library-chosen')
    expect(await visit.axeFaults()).toEqual([])
    await page.getByRole('button', { name: 'Delete' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete 2 files?' })
    await dialog.getByText('Entries require it. Remove it from them first.').waitFor()
    expect(await dialog.getByRole('listitem').allTextContents()).toEqual(['needed.png'])
    await visit.shoot('library-refused')
    expect(await visit.axeFaults()).toEqual([])
    await dialog.getByRole('button', { name: 'Delete the other one' }).click()
    await page.getByText('3 files', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'needed.png' }).click()
    await page.getByText('1 place').waitFor()
    await page.getByRole('link', { name: 'A print' }).waitFor()
    expect(await visit.takeFaults()).toEqual([])
  })

  test('renders only visible files, loads more while scrolling, and moves by arrow keys', async () => {
    const COUNT = 150
    await using visit = await visitStudio(open, gallery, {
      as: INES,
      before: async (service) => {
        for (let at = 1; at <= COUNT; at += 1)
          await storeFile(service, `file ${at}.txt`, { bytes: Buffer.from(`${at}`) })
      },
      path: '/studio/assets?sort=createdAt',
    })
    const { page } = visit
    await page.getByText(`${COUNT} files`, { exact: true }).waitFor()
    const first = page.getByRole('link', { name: 'file 1.txt', exact: true })
    await first.focus()
    await page.keyboard.press('ArrowRight')
    await page.locator('a:focus', { hasText: 'file 2.txt' }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowUp')
    await page.locator('a:focus', { hasText: 'file 2.txt' }).waitFor()
    const { promise: arePressed, resolve: release } = Promise.withResolvers<void>()
    await page.route(/[?&]cursor=/, (route) => arePressed.then(() => route.continue()))
    for (let count = 2; count < 100; count += 1) await page.keyboard.press('ArrowRight')
    release()
    await page.locator('a:focus', { hasText: 'file 100.txt' }).waitFor()
    expect(await page.getByRole('listitem').filter({ hasText: 'file' }).count()).toBeLessThan(120)
    await page.mouse.move(600, 500)
    const last = page.getByRole('link', { name: `file ${COUNT}.txt`, exact: true })
    while (!(await last.isVisible())) {
      await page.mouse.wheel(0, 600)
      await page.evaluate('new Promise(requestAnimationFrame)')
    }
    await last.click()
    await isShown(page, `file ${COUNT}.txt`)
    await page.goBack()
    await last.waitFor()
    expect(await visit.takeFaults()).toEqual([])
  })
})
