import { defineCollection, defineConfig, f } from 'daybook'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OpenBrowser, openBrowser } from '../../../client/test/support/browser.ts'
import { SLOW_MACHINE_LIMITS } from '../../../daybook/test/support/timeouts.ts'
import { studio } from '../../src/index.ts'
import { visitEntry } from '../fields/support/pages.ts'

let open: OpenBrowser
beforeAll(async () => {
  open = await openBrowser()
}, 120_000)
afterAll(() => open[Symbol.asyncDispose]())

/** A collection whose labels are in two languages, and whose form has tabs, a row, sections and conditions. */
const config = defineConfig({
  limits: { ...SLOW_MACHINE_LIMITS, signInsPerMinute: 1000 },
  plugins: [studio()],
  collections: {
    events: defineCollection({
      label: { en: 'Dates', de: 'Termine' },
      singularLabel: { en: 'Date', de: 'Termin' },
      form: {
        tabs: [
          {
            label: { en: 'Content', de: 'Inhalt' },
            fields: ['title', ['kind', 'day'], 'venue', 'people', 'parts'],
          },
          {
            label: { en: 'Search engines', de: 'Suchmaschinen' },
            fields: ['seo', { label: { en: 'Advanced', de: 'Erweitert' }, fields: ['canonical'], collapsed: true }],
          },
        ],
      },
      fields: {
        title: f.text({ required: true, label: { en: 'Title', de: 'Titel' } }),
        kind: f.select({
          label: { en: 'Kind', de: 'Art' },
          options: ['note', { value: 'event', label: { en: 'Event', de: 'Veranstaltung' } }],
        }),
        day: f.date({ label: { en: 'Day', de: 'Tag' } }),
        venue: f.text({
          required: true,
          showIf: { kind: 'event' },
          label: { en: 'Venue', de: 'Ort' },
          description: { en: 'Where it takes place.', de: 'Wo sie stattfindet.' },
        }),
        people: f.list(
          f.group(
            {
              role: f.select({ options: ['host', 'guest'] }),
              name: f.text(),
              fee: f.integer({ showIf: { role: 'guest' } }),
            },
            { label: { en: 'Person', de: 'Person' }, layout: 'row' },
          ),
          { itemTitle: 'name' },
        ),
        parts: f.blocks({ quote: f.group({ words: f.text() }, { label: { en: 'Quote', de: 'Zitat' } }) }),
        seo: f.group({ heading: f.text({ maxLength: 5 }) }, { layout: 'collapsed', label: 'SEO' }),
        canonical: f.url({ label: { en: 'Address', de: 'Adresse' } }),
        comment: f.text(),
      },
    }),
  },
})

const EVENT = { title: 'Reading', kind: 'note', people: [{ role: 'host', name: 'Inés' }] }

test('a form has the tabs, rows and sections of the config, and shows a field while its condition holds', async () => {
  await using visit = await visitEntry(open, config, 'events', EVENT)
  const { page } = visit
  const tab = (name: string) => page.getByRole('tab', { name })
  const advanced = page.locator('summary', { hasText: 'Advanced' })
  await tab('Content').waitFor()
  await visit.shoot('form-tabs')
  expect(await visit.axeFaults()).toEqual([])
  // A field that the form does not name comes last in the first tab.
  expect(await page.getByLabel('Comment').isVisible()).toBe(true)
  expect(await page.getByLabel('Venue').count()).toBe(0)
  await page.getByRole('button', { name: /Kind/ }).click()
  await page.getByRole('option', { name: 'Event' }).click()
  await page.getByLabel('Venue').waitFor()
  await page.getByLabel('Title').fill('A reading')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  // The issue of the service names the field by its label, and leads to it.
  await page.getByRole('button', { name: 'Venue', exact: true }).click()
  await page.getByLabel('Venue').fill('Hall')
  // Inside an item, the condition is about the fields of the item.
  const item = page.getByRole('group', { name: 'People', exact: true })
  expect(await item.getByLabel('Fee').count()).toBe(0)
  await item.getByRole('button', { name: /Role/ }).click()
  await page.getByRole('option', { name: 'guest' }).click()
  await item.getByLabel('Fee').fill('5')
  await visit.save()
  expect(await visit.stored()).toMatchObject({ kind: 'event', venue: 'Hall', people: [{ role: 'guest', fee: 5 }] })

  // The keyboard reaches the tabs; the address keeps the chosen one.
  await tab('Content').focus()
  await page.keyboard.press('ArrowRight')
  await page.waitForURL(/tab=2/)
  expect(await page.getByLabel('Title').isVisible()).toBe(false)
  expect(await page.getByLabel('Heading').isVisible()).toBe(false)
  await advanced.focus()
  await page.keyboard.press('Enter')
  await page.getByLabel('Address').fill('nowhere')
  await visit.shoot('form-sections')
  expect(await visit.axeFaults()).toEqual([])
  await page.reload()
  await page.getByLabel('Address').waitFor()

  // A link to a field opens its tab and its section.
  await page.goto(`${visit.url}/studio/c/events/${visit.id}?field=seo.heading`)
  await page.getByLabel('Heading').fill('Too long')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await tab('Search engines').getByRole('img', { name: 'This part has problems' }).waitFor()
  await tab('Content').click()
  await page.getByRole('alert').getByRole('button', { name: 'SEO › Heading' }).click()
  await page.keyboard.press('End')
  await page.keyboard.type('!')
  expect(await page.getByLabel('Heading').inputValue()).toBe('Too long!')
  expect(await visit.takeFaults()).toEqual([])
})

test('everything has its name in the language of the interface', async () => {
  await using visit = await visitEntry(
    open,
    config,
    'events',
    { ...EVENT, kind: 'event', venue: 'Hall' },
    { locale: 'de-AT' },
  )
  const { page } = visit
  await page.getByRole('tab', { name: 'Inhalt' }).waitFor()
  for (const label of ['Titel', 'Ort']) expect(await page.getByLabel(label).isVisible()).toBe(true)
  await page.getByText('Wo sie stattfindet.').waitFor()
  await page.getByRole('button', { name: /Veranstaltung/ }).waitFor()
  await page.locator('summary', { hasText: 'Erweitert' }).waitFor({ state: 'attached' })
  await page.getByRole('link', { name: 'Termine' }).first().click()
  await page.getByRole('link', { name: 'Termin erstellen' }).waitFor()
  await page.getByRole('heading', { name: 'Termine', level: 1 }).waitFor()
  expect(await visit.takeFaults()).toEqual([])
})
