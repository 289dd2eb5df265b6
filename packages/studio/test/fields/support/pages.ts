import { type DaybookConfig, defineCollection, defineConfig, f } from 'daybook'
import type { TestService } from 'daybook/testing'
import type { OpenBrowser } from '../../../../client/test/support/browser.ts'
import { SLOW_MACHINE_LIMITS } from '../../../../daybook/test/support/timeouts.ts'
import { studio } from '../../../src/index.ts'
import { INES, isSaved } from '../../support/people.ts'
import { type Visit, type VisitOptions, visitStudio } from '../../support/visit.ts'

const pages = defineCollection({
  fields: {
    title: f.text({ required: true }),
    seo: f.group(
      { title: f.text(), image: f.group({ url: f.url(), alt: f.text() }) },
      { description: 'For search engines.' },
    ),
    tags: f.list(f.text()),
    steps: f.list(f.group({ title: f.text({ required: true }), minutes: f.integer() })),
    parts: f.blocks({
      text: { heading: f.text(), body: f.markdown() },
      quote: { words: f.text({ required: true, index: false }), by: f.text() },
      gallery: { pictures: f.list(f.url(), { max: 3 }) },
    }),
  },
})

/** A config whose pages have groups, lists and blocks. */
export const composed: DaybookConfig = defineConfig({
  limits: { ...SLOW_MACHINE_LIMITS, signInsPerMinute: 1000 },
  plugins: [studio()],
  collections: { pages },
})

type Data = Readonly<Record<string, unknown>>

export interface EntryVisit extends Visit {
  readonly id: string
  stored(): Promise<Data>
  /** Saves the form, and waits until it is stored. */
  save(): Promise<void>
}

export async function visitEntry(
  open: OpenBrowser,
  config: DaybookConfig,
  collection: string,
  data: Data,
  options: Omit<VisitOptions, 'path'> = {},
): Promise<EntryVisit> {
  let id = ''
  const before = async (service: TestService): Promise<void> => {
    await options.before?.(service)
    id = String((await service.content.create(collection, data)).id)
  }
  const path = (): string => `/studio/c/${collection}/${id}`
  const visit = await visitStudio(open, config, { ...options, as: INES, before, path })
  const { page, service } = visit
  await page.getByRole('heading', { level: 1 }).waitFor()
  return {
    ...visit,
    id,
    stored: async () => (await service.content.get(collection, id)) as Data,
    async save() {
      const save = page.getByRole('button', { name: /^(Save|Speichern)$/ })
      // In a collection with drafts, the page saves by itself.
      if ((await save.count()) > 0) await save.click()
      await isSaved(page)
    },
    [Symbol.asyncDispose]: () => visit[Symbol.asyncDispose](),
  }
}
