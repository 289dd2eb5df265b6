import { ANONYMOUS, defineCollection, defineConfig, defineGlobal, f } from 'daybook'
import type { TestService } from 'daybook/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OpenBrowser, openBrowser } from '../../../client/test/support/browser.ts'
import { museum } from '../support/configs.ts'
import { INES, isSaved, isShown } from '../support/people.ts'
import { visitStudio } from '../support/visit.ts'

let open: OpenBrowser
beforeAll(async () => {
  open = await openBrowser()
}, 120_000)
afterAll(() => open[Symbol.asyncDispose]())

const config = defineConfig({
  limits: museum.limits,
  plugins: museum.plugins,
  locales: { available: ['en', 'de', 'fr'], default: 'en', fallback: { de: ['en'] } },
  collections: {
    pages: defineCollection({
      fields: {
        title: f.text({ required: true, localized: true }),
        slug: f.slug({ from: 'title', localized: true }),
        status: f.status(),
        minutes: f.integer(),
        kind: f.select({ options: ['essay', 'note'], localized: true }),
        body: f.markdown({ localized: true }),
        seo: f.group({ description: f.text({ localized: true }) }),
      },
    }),
  },
  globals: { site: defineGlobal({ fields: { name: f.text({ localized: true }) } }) },
})

async function visitPage() {
  let id = ''
  const before = async (service: TestService): Promise<void> => {
    const content = service.content
    const seo = { description: 'All of it.' }
    const page = await content.create('pages', {
      title: 'About us',
      body: 'We *write*.',
      minutes: 3,
      kind: 'essay',
      seo,
    })
    id = String(page.id)
  }
  const visit = await visitStudio(open, config, { as: INES, before })
  const content = visit.service.content
  const stored = (locale: string) => content.get('pages', id, { draft: true, locale, fallbackLocale: 'none' })
  return { ...visit, id, stored, [Symbol.asyncDispose]: () => visit[Symbol.asyncDispose]() }
}

describe('the languages of an entry', () => {
  test('a translation is written beside its source, and copies values from it', async () => {
    await using visit = await visitPage()
    const { page, url, id } = visit
    await page.goto(`${url}/studio/c/pages/${id}`)
    await isShown(page, 'About us')
    const languages = page.getByRole('navigation', { name: 'Languages' })
    await languages.getByRole('link', { name: 'German missing' }).click()
    await page.waitForURL(/locale=de/)
    await page.getByText('Until this is filled in, readers see the English text.').first().waitFor()
    expect(await page.getByLabel('Title').inputValue()).toBe('')
    expect(await page.getByLabel('Title').getAttribute('placeholder')).toBe('About us')
    await page.locator('.cm-placeholder', { hasText: 'We *write*.' }).waitFor()
    await page.getByText('Until this is filled in, readers see English: essay').waitFor()
    await visit.shoot('languages-fallback')
    expect(await visit.axeFaults()).toEqual([])
    await page.getByRole('button', { name: 'Show English next to it' }).click()
    await page.waitForURL(/beside=source/)
    await page.getByText('The same in all languages.').first().waitFor()
    await visit.shoot('languages-beside')
    expect(await visit.axeFaults()).toEqual([])
    await page.getByLabel('Title').fill('Über uns')
    await page.getByText('Body · English').locator('..').getByRole('button', { name: 'Copy from English' }).click()
    await isSaved(page)
    await languages.getByRole('link', { name: 'German incomplete' }).waitFor()
    expect(await visit.stored('de')).toMatchObject({
      title: 'Über uns',
      body: 'We *write*.',
      minutes: 3,
      seo: { description: null },
    })
    expect(await visit.stored('en')).toMatchObject({ title: 'About us' })
    await languages.getByRole('link', { name: 'English source' }).click()
    await isShown(page, 'About us')
    expect(await visit.takeFaults()).toEqual([])
  })

  test('a slug in any language opens the entry, whatever locale the URL names', async () => {
    await using visit = await visitPage()
    const { page, url, id, service } = visit
    await service.content.update('pages', id, { title: 'Über uns' }, { locale: 'de' })
    for (const address of ['about-us', 'about-us?locale=de', 'uber-uns', 'uber-uns?locale=de', 'uber-uns?locale=fr']) {
      await page.goto(`${url}/studio/go/edit/pages/${address}`)
      await page.waitForURL((current) => current.pathname === `/studio/c/pages/${id}`)
    }
    await page.goto(`${url}/studio/go/edit/pages/nothing`)
    await isShown(page, 'This entry does not exist')
  })

  test('a translation that is older than its source is marked', async () => {
    await using visit = await visitPage()
    const { page, url, id, service } = visit
    const content = service.content
    const translation = { title: 'Über uns', body: 'Wir schreiben.', kind: 'essay', seo: { description: 'Alles.' } }
    await content.update('pages', id, translation, { locale: 'de' })
    await content.update('pages', id, { title: 'À propos' }, { locale: 'fr' })
    await page.goto(`${url}/studio/c/pages/${id}`)
    const languages = page.getByRole('navigation', { name: 'Languages' })
    await languages.getByRole('link', { name: 'German translated' }).waitFor()
    await languages.getByRole('link', { name: 'French incomplete' }).waitFor()
    await content.update('pages', id, { body: 'We *write* and print.' })
    await content.update('pages', id, { body: 'Nous écrivons.' }, { locale: 'fr' })
    await page.reload()
    await languages.getByRole('link', { name: 'German older than the source' }).waitFor()
    await languages.getByRole('link', { name: 'French incomplete' }).waitFor()
    await visit.shoot('languages')
    expect(await visit.axeFaults()).toEqual([])
    expect(await visit.takeFaults()).toEqual([])
  })

  test('a global is translated as well', async () => {
    await using visit = await visitPage()
    const { page, url, service } = visit
    await page.goto(`${url}/studio/g/site`)
    await page.getByLabel('Name').fill('The museum')
    await page.getByRole('button', { name: 'Save' }).click()
    await isSaved(page)
    await page.getByRole('link', { name: 'German missing' }).click()
    await page.getByPlaceholder('The museum').waitFor()
    await page.getByRole('button', { name: 'Show English next to it' }).click()
    await page.getByText('Name · English').waitFor()
    await page.getByRole('button', { name: 'Copy missing content from English' }).click()
    expect(await page.getByLabel('Name').inputValue()).toBe('The museum')
    await page.getByLabel('Name').fill('Das Museum')
    await page.getByRole('button', { name: 'Save' }).click()
    await isSaved(page)
    expect(await service.content.as(ANONYMOUS).readGlobal('site', { locale: 'de' })).toMatchObject({
      name: 'Das Museum',
    })
    expect(await service.content.as(ANONYMOUS).readGlobal('site')).toMatchObject({ name: 'The museum' })
  })
})
