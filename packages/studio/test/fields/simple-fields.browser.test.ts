import { type DaybookConfig, defineCollection, defineConfig, f } from 'daybook'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OpenBrowser, openBrowser } from '../../../client/test/support/browser.ts'
import { SLOW_MACHINE_LIMITS } from '../../../daybook/test/support/timeouts.ts'
import { studio } from '../../src/index.ts'
import { visitEntry } from './support/pages.ts'

let open: OpenBrowser
beforeAll(async () => {
  open = await openBrowser()
}, 120_000)
afterAll(() => open[Symbol.asyncDispose]())

const events: DaybookConfig = defineConfig({
  limits: { ...SLOW_MACHINE_LIMITS, signInsPerMinute: 1000 },
  plugins: [studio()],
  collections: {
    events: defineCollection({
      fields: {
        title: f.text({ required: true }),
        slug: f.slug({ from: 'title' }),
        day: f.date(),
        startsAt: f.datetime(),
        price: f.number(),
        isFree: f.boolean(),
        days: f.select({ options: ['Mon', 'Tue', 'Wed'], many: true }),
        kind: f.select({ options: ['talk', 'walk'] }),
        colour: f.text({ pattern: '^#[0-9a-f]{6}$' }),
        place: f.json(),
        note: f.text({ index: false }),
      },
    }),
  },
})

const EVENT = {
  title: 'Crème brûlée',
  slug: 'an-old-one',
  day: '2026-11-20',
  startsAt: '2026-11-20T08:30:00.000Z',
  price: 1234.5,
  days: ['Mon'],
  kind: 'talk',
  colour: '#1f5fbf',
  place: { lat: 1 },
}

describe('simple fields', () => {
  test('show values in the locale and time zone of the user, and store them in the format of the service', async () => {
    const reader = { locale: 'de-DE', timezoneId: 'Europe/Berlin' }
    await using visit = await visitEntry(open, events, 'events', EVENT, reader)
    const { page } = visit
    const startsAt = page.getByRole('group', { name: 'Starts at' })
    await startsAt.waitFor()
    expect(await startsAt.getByRole('spinbutton').allTextContents()).toEqual(
      ['20', '11', '2026', '9', '30'].map((digits) => expect.stringMatching(new RegExp(`^0?${digits}$`))),
    )
    await page.getByText('UTC 2026-11-20 08:30').waitFor()
    await visit.shoot('simple-fields')
    expect(await visit.axeFaults()).toEqual([])
    await startsAt.getByRole('spinbutton').nth(3).focus()
    await page.keyboard.press('ArrowUp')
    const day = page.getByRole('group', { name: 'Day', exact: true })
    await day.getByRole('spinbutton').first().focus()
    await page.keyboard.type('24122027')
    expect(await page.getByLabel('Price').inputValue()).toBe('1234,5')
    await page.getByLabel('Price').fill('2.345,75')
    await page.getByRole('radio', { name: 'Nein' }).check()
    await page.getByRole('checkbox', { name: 'Wed' }).check()
    await page.getByRole('button', { name: 'Neu erzeugen' }).click()
    await visit.save()
    expect(await visit.stored()).toMatchObject({
      slug: 'creme-brulee',
      day: '2027-12-24',
      startsAt: '2026-11-20T09:30:00.000Z',
      price: 2345.75,
      isFree: false,
      days: ['Mon', 'Wed'],
    })
    expect(await visit.takeFaults()).toEqual([])
  })

  test('keep JSON as typed, locate its faults, and save it once it is valid', async () => {
    await using visit = await visitEntry(open, events, 'events', EVENT)
    const { page } = visit
    const place = page.getByLabel('Place', { exact: true })
    await place.fill('{\n  "lat": 2,\n  "lon" 3\n}')
    await page.getByText('This is not valid JSON: line 3, column 9.').waitFor()
    expect(await place.inputValue()).toContain('"lon" 3')
    expect(await visit.axeFaults()).toEqual([])
    await place.fill('{ "lat": 2,   "lon": 3 }')
    await page.getByText('This is not valid JSON').waitFor({ state: 'detached' })
    expect(await place.inputValue()).toBe('{ "lat": 2,   "lon": 3 }')
    await page.getByLabel('Colour').last().fill('#00ff00')
    await visit.save()
    expect(await visit.stored()).toMatchObject({ place: { lat: 2, lon: 3 }, colour: '#00ff00' })
    expect(await visit.takeFaults()).toEqual([])
  })

  test('show unsupported values of an older config until the user replaces them', async () => {
    await using visit = await visitEntry(open, events, 'events', EVENT)
    const { page } = visit
    await page.route('**/api/events/*', async (route) => {
      if (route.request().method() !== 'GET') return route.fallback()
      const response = await route.fetch()
      const old = { note: { html: '<b>old</b>' }, day: 'the day before', days: 'Mon', kind: 'a kind that was' }
      return route.fulfill({ response, json: { ...(await response.json()), ...old } })
    })
    await page.reload()
    const note = page.getByRole('group', { name: 'Note' })
    await note.getByText('<b>old</b>').waitFor()
    await page.getByText('the day before').waitFor()
    await page.getByText('a kind that was').first().waitFor()
    await visit.shoot('old-values')
    expect(await visit.axeFaults()).toEqual([])
    await note.getByRole('button', { name: 'Replace' }).click()
    await page.getByLabel('Note').fill('A new one')
    await page.getByLabel('Title').fill('Other')
    expect(await visit.takeFaults()).toEqual([])
  })
})
