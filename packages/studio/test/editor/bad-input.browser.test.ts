import { type DaybookConfig, defineCollection, defineConfig, f } from 'daybook'
import type { TestService } from 'daybook/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OpenBrowser, openBrowser } from '../../../client/test/support/browser.ts'
import { museum } from '../support/configs.ts'
import { INES, isSaved } from '../support/people.ts'
import { visitStudio } from '../support/visit.ts'

let open: OpenBrowser
beforeAll(async () => {
  open = await openBrowser()
}, 120_000)
afterAll(() => open[Symbol.asyncDispose]())

const HOSTILE = `<img src=x onerror="document.title='taken'"> \u202eمرحبا\u202c ${'long '.repeat(1900)}`

const many = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`field${at}`, f.text()]))

async function visitThing(config: DaybookConfig, values: Readonly<Record<string, unknown>>) {
  let id = ''
  const before = async (service: TestService): Promise<void> => {
    id = String((await service.content.create('things', values)).id)
  }
  const visit = await visitStudio(open, config, { as: INES, before, path: () => `/studio/c/things/${id}` })
  const stored = () => visit.service.content.get('things', id, { draft: true })
  return { ...visit, id, stored, [Symbol.asyncDispose]: () => visit[Symbol.asyncDispose]() }
}

const thingsWith = (collection: Parameters<typeof defineCollection>[0]): DaybookConfig =>
  defineConfig({
    limits: museum.limits,
    plugins: museum.plugins,
    collections: { things: defineCollection(collection as never) },
  }) as DaybookConfig

describe('the editor', () => {
  test('shows a hostile title of 10,000 characters as text in a form with 200 fields', async () => {
    const config = thingsWith({
      fields: { title: f.text({ required: true, index: false }), status: f.status(), ...many },
    })
    await using visit = await visitThing(config, { title: HOSTILE })
    const { page } = visit
    await page.getByLabel('Title').waitFor()
    expect(await page.getByLabel('Title').inputValue()).toBe(HOSTILE)
    expect(await page.title()).not.toBe('taken')
    await visit.shoot('editor-hostile')
    expect(await visit.axeFaults()).toEqual([])
    await page.getByLabel('Field199').fill('the last one')
    await isSaved(page)
    expect((await visit.stored())?.field199).toBe('the last one')
    const wide = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
    expect(wide).toBeLessThanOrEqual(0)
    expect(await visit.takeFaults()).toEqual([])
  })

  test('keeps and saves a text of one megabyte', async () => {
    const config = thingsWith({ fields: { title: f.text({ required: true }), status: f.status(), notes: f.json() } })
    await using visit = await visitThing(config, { title: 'Large', notes: 'a line of it\n'.repeat(80_000) })
    const { page } = visit
    await page.getByLabel('Title').fill('Larger')
    await isSaved(page)
    expect((await visit.stored())?.title).toBe('Larger')
    expect(await visit.takeFaults()).toEqual([])
  })

  test('keeps incomplete JSON of a field and of a block across page loads, and saves it once it is valid', async () => {
    const fields = { title: f.text({ required: true }), status: f.status(), data: f.json() }
    const config = thingsWith({ fields: { ...fields, parts: f.blocks({ chart: { points: f.json() } }) } })
    const parts = [{ _type: 'chart', points: [1] }]
    await using visit = await visitThing(config, { title: 'Figures', data: { a: 1 }, parts })
    const { page, url } = visit
    await page.getByLabel('Data').fill('{ "a": 1,')
    await page.getByLabel('Points').fill('[1, 2')
    await page.getByText('It is kept in this browser').first().waitFor()
    await visit.shoot('json-unfinished')
    expect(await visit.axeFaults()).toEqual([])
    await page.getByRole('link', { name: 'Overview' }).first().click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    expect(await visit.stored()).toMatchObject({ data: { a: 1 }, parts })
    await page.goto(`${url}/studio/c/things/${visit.id}`)
    await page.getByText('This is not valid JSON').first().waitFor()
    expect(await page.getByLabel('Data').inputValue()).toBe('{ "a": 1,')
    expect(await page.getByLabel('Points').inputValue()).toBe('[1, 2')
    await page.getByLabel('Data').fill('{ "a": 1, "b": 2 }')
    await page.getByLabel('Points').fill('[1, 2]')
    await isSaved(page)
    expect(await visit.stored()).toMatchObject({ data: { a: 1, b: 2 }, parts: [{ points: [1, 2] }] })
    await page.reload()
    await page.getByLabel('Data').waitFor()
    expect(JSON.parse(await page.getByLabel('Data').inputValue())).toEqual({ a: 1, b: 2 })
    expect(await visit.takeFaults()).toEqual([])
  })

  test('shows users without write access no control that would change anything', async () => {
    const config = thingsWith({
      fields: { title: f.text({ required: true }), status: f.status() },
      access: { update: () => false, delete: () => false },
    })
    await using visit = await visitThing(config, { title: 'Look' })
    const { page } = visit
    await page.getByText('You can view this, but not change it.').waitFor()
    expect(await page.getByLabel('Title').getAttribute('readonly')).not.toBeNull()
    expect(await page.getByRole('button', { name: /Publish|Save|Undo/ }).count()).toBe(0)
    await page.getByRole('button', { name: 'More' }).click()
    expect(await page.getByRole('menuitem').allTextContents()).toEqual(['History', 'Duplicate'])
    await page.keyboard.press('Escape')
    await visit.shoot('editor-read-only')
    expect(await visit.axeFaults()).toEqual([])
    expect(await visit.takeFaults()).toEqual([])
  })

  test('says that an entry was deleted, and saves its values as a new entry', async () => {
    const config = thingsWith({ fields: { title: f.text({ required: true }), status: f.status() } })
    await using visit = await visitThing(config, { title: 'Soon gone' })
    const { page, service, id } = visit
    await page.getByLabel('Title').fill('Still here')
    await isSaved(page)
    await service.content.delete('things', id)
    await page.getByText('This no longer exists').waitFor()
    await visit.shoot('editor-gone')
    expect(await visit.axeFaults()).toEqual([])
    await page.getByRole('button', { name: 'Save as new entry' }).click()
    await isSaved(page)
    await page.waitForURL((url) => !url.pathname.endsWith(id))
    const { items } = await service.content.list('things')
    expect(items.map(({ title }) => title)).toEqual(['Still here'])
  })

  test('offers to retry while the service is unavailable', async () => {
    const config = thingsWith({ fields: { title: f.text({ required: true }), status: f.status() } })
    await using visit = await visitThing(config, { title: 'Later' })
    const { page } = visit
    await page.getByLabel('Title').waitFor()
    await page.route(/api\/things\/[^/]+\?/, (route) =>
      route.fulfill({ status: 503, headers: { 'Retry-After': '60' } }),
    )
    await page.reload()
    await page.getByText('This could not be loaded').waitFor()
    await visit.shoot('editor-unread')
    expect(await visit.axeFaults()).toEqual([])
    await page.unrouteAll()
    await page.getByRole('button', { name: 'Try now' }).click()
    await page.getByLabel('Title').waitFor()
  })
})
