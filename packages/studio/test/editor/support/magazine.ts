import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type DaybookConfig, defineCollection, defineConfig, f } from 'daybook'
import { serveUploads } from 'daybook/plugins'
import type { TestService } from 'daybook/testing'
import type { OpenBrowser } from '../../../../client/test/support/browser.ts'
import { SLOW_MACHINE_LIMITS } from '../../../../daybook/test/support/timeouts.ts'
import { studio } from '../../../src/index.ts'
import { storeFile } from '../../assets/support.ts'
import { INES, isShown } from '../../support/people.ts'
import { type Visit, type VisitOptions, visitStudio } from '../../support/visit.ts'

/** A magazine in two languages with a public site. Its stories use every feature of the entry editor. */
const magazine = (site: string): DaybookConfig =>
  defineConfig({
    limits: { ...SLOW_MACHINE_LIMITS, signInsPerMinute: 1000 },
    locales: { available: ['en', 'de'], default: 'en', fallback: { de: ['en'] } },
    plugins: [studio({ preview: { stories: `${site}/{slug}?preview={token}` } }), serveUploads()],
    collections: {
      stories: defineCollection({
        fields: {
          title: f.text({ required: true, localized: true }),
          slug: f.slug({ from: 'title' }),
          status: f.status(),
          author: f.relation('authors'),
          cover: f.asset(),
          parts: f.blocks({ text: { heading: f.text() }, quote: { words: f.text({ index: false }) } }),
        },
      }),
      authors: defineCollection({ fields: { name: f.text({ required: true }) } }),
    },
  })

const DATA = { title: 'Ink', status: 'published', parts: [{ _type: 'text', heading: 'Galls' }] }

/** A visit that begins in the editor of a story, as a signed-in user. */
export interface StoryVisit extends Visit {
  readonly id: string
  /** The path of the story's editor. */
  readonly path: string
  /** Returns the story's draft in a language. */
  stored(locale?: string): Promise<Readonly<Record<string, unknown>>>
  published(locale?: string): Promise<Readonly<Record<string, unknown>>>
  /** Returns the faults, except requests to the site that the preview shows. */
  ownFaults(): Promise<readonly string[]>
}

/** Opens the only story of a magazine that has two authors, Inés and Tomasz, and one file, `mill.png`. */
export async function visitStory(open: OpenBrowser, options: VisitOptions = {}): Promise<StoryVisit> {
  const site = createServer((request, response) => {
    response.setHeader('Content-Type', 'text/html; charset=utf-8')
    response.end(`<!doctype html><title>Site</title><h1>The page of ${request.url?.split('?')[0]}</h1>`)
  })
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
  let id = ''
  const before = async (service: TestService): Promise<void> => {
    await storeFile(service, 'mill.png')
    const content = service.content
    for (const name of ['Inés Prado', 'Tomasz Lem']) await content.create('authors', { name })
    id = String((await content.create('stories', DATA)).id)
  }
  const path = (): string => `/studio/c/stories/${id}`
  const visit = await visitStudio(open, magazine(origin), { ...options, as: INES, before, path })
  const { page, service } = visit
  await isShown(page, 'Ink')
  const read = (locale: string, isDraft: boolean) =>
    service.content.get('stories', id, { locale, fallbackLocale: 'none', ...(isDraft && { draft: true }) })
  return {
    ...visit,
    id,
    path: path(),
    stored: async (locale = 'en') => (await read(locale, true)) ?? {},
    published: async (locale = 'en') => (await read(locale, false)) ?? {},
    ownFaults: async () => (await visit.takeFaults()).filter((fault) => !fault.startsWith(`foreign: ${origin}/`)),
    async [Symbol.asyncDispose]() {
      await visit[Symbol.asyncDispose]()
      site.closeAllConnections()
      site.close()
    },
  }
}
