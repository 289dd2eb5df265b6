import { createClient } from '@daybook/client'
import { createTestService, type TestService } from 'daybook/testing'
import { expect, onTestFinished, test } from 'vitest'
import config from '../daybook.config.ts'
import { makeSite } from '../site/site.ts'

/** Asks the site for a page: its status, and its text, without markup unless that is asked for. */
async function visitor(
  service?: TestService,
): Promise<(path: string, options?: { readonly markup?: boolean }) => Promise<string>> {
  return visitorOf(service ?? (await createTestService(config)))
}

function visitorOf(service: TestService): (path: string, options?: { readonly markup?: boolean }) => Promise<string> {
  onTestFinished(() => service.close())
  const cms = createClient<typeof config>({
    baseUrl: 'http://magazine.test',
    fetch: (url, init) => service.fetch(new Request(url, init)),
  })
  const site = makeSite(cms)
  return async (path, { markup = false } = {}) => {
    const response = await site.request(path)
    const body = await response.text()
    if (markup) return `${response.status} ${body}`
    const text = body.replace(/<style>.*?<\/style>|<[^>]+>/gs, ' ').replace(/\s+/g, ' ')
    return `${response.status} ${text}`
  }
}

test.each([
  ['/', ['Seven questions to a bookbinder', 'Why tower clocks gain in winter', 'trades (1)'], ['typewriter']],
  ['/de', ['Warum Turmuhren im Winter vorgehen', 'Werkstatt'], []],
  ['/articles/why-tower-clocks-gain-in-winter', ['Noor Haddad', 'In January I am always early.'], []],
  ['/de/articles/warum-turmuhren-im-winter-vorgehen', ['Warum Turmuhren', 'Kälte kürzt das Pendel'], []],
  [
    '/articles/seven-questions-to-a-bookbinder',
    ['What do people bring most?', 'Why tower clocks gain in winter', 'An evening with clockmakers'],
    [],
  ],
  ['/sections/people', ['1 articles', 'Seven questions'], ['typewriter']],
  ['/contributors/noor-haddad', ['Repairs clocks', 'Seven questions', 'Why tower clocks'], []],
  ['/topics/clocks', ['Why tower clocks'], ['bookbinder']],
  ['/events/an-evening-with-clockmakers', ['The old post office', '8 €'], []],
])('%s shows what readers may see', async (path, shown, hidden) => {
  const page = await (await visitor())(path)
  expect(page).toMatch(/^200 /)
  for (const text of shown) expect(page).toContain(text)
  for (const text of hidden) expect(page).not.toContain(text)
})

test('an article leads to the pages of what it refers to', async () => {
  const page = await (await visitor())('/articles/seven-questions-to-a-bookbinder', { markup: true })
  expect(page).toContain('href="/articles/why-tower-clocks-gain-in-winter"')
  expect(page).toContain('href="/events/an-evening-with-clockmakers"')
})

test('what nobody has printed is 404', async () => {
  const visit = await visitor()
  expect(await visit('/articles/the-last-typewriter-mechanic')).toMatch(/^404/)
  expect(await visit('/sections/none')).toMatch(/^404/)
})

test('a preview shows the draft in its language, with its gallery, and follows the Studio alone', async () => {
  const service = await createTestService(config)
  const visit = visitorOf(service)
  const editor = createClient<typeof config>({
    baseUrl: 'http://magazine.test',
    token: service.token,
    fetch: (url, init) => service.fetch(new Request(url, init)),
  })
  const image = await editor.assets.upload(new Blob([PIXEL]), { name: 'mechanic.png', alt: 'A workshop' })
  const { items } = await editor.collections.articles.findMany({ where: { status: { eq: 'draft' } } })
  const id = items[0]?.id ?? ''
  await editor.collections.articles.update(id, {
    parts: [{ _type: 'gallery', images: [image.id], caption: 'Keys' }],
  } as never)
  const { token } = await editor.collections.articles.preview(id)
  const path = '/en/articles/the-last-typewriter-mechanic'
  expect(await visit(path)).toMatch(/^404/)
  const page = await visit(`${path}?preview=${token}`, { markup: true })
  expect(page).toMatch(/^200 /)
  expect(page).toContain(`<img src="http://127.0.0.1:3000${image.url}" alt="A workshop">`)
  expect(page).toContain('daybook:preview-ready')
})

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
