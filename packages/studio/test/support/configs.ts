import { type DaybookConfig, defineCollection, defineConfig, defineGlobal, f, type SeedContent } from 'daybook'
import { PATIENT_LIMITS } from '../../../daybook/test/support/patience.ts'
import { studio } from '../../src/index.ts'

const fields = {
  title: f.text({ required: true, maxLength: 200 }),
  slug: f.slug({ from: 'title' }),
  status: f.status(),
  kind: f.select({ options: ['essay', 'report', 'note'], description: 'What readers may expect.' }),
  minutes: f.integer({ min: 1, max: 600 }),
  price: f.number(),
  featured: f.boolean({ description: 'Shown at the top of the site.' }),
  publishedOn: f.date(),
  startsAt: f.datetime(),
  link: f.url(),
  body: f.markdown(),
  author: f.relation('authors'),
}

/** A museum's content: fields of every type that the first form has an editor for. */
export const museum = defineConfig({
  limits: { ...PATIENT_LIMITS, signInsPerMinute: 1000 },
  plugins: [studio({ title: 'The museum' })],
  collections: {
    posts: defineCollection({ description: 'What visitors read.', fields }),
    authors: defineCollection({
      description: 'People who write.',
      fields: { name: f.text({ required: true }), bio: f.markdown() },
    }),
    empty: defineCollection({ fields: { title: f.text({ required: true }) } }),
  },
  globals: {
    site: defineGlobal({
      description: 'What every page shows.',
      fields: { siteName: f.text({ required: true }), siteUrl: f.url() },
    }),
  },
})

/** Stores posts whose titles count. */
export const posts =
  (count: number) =>
  async (content: SeedContent): Promise<void> => {
    const ines = await content.create('authors', { name: 'Inés Prado' })
    for (let at = 1; at <= count; at += 1) {
      await content.create('posts', {
        title: `Post ${at}`,
        status: at % 5 === 0 ? 'draft' : 'published',
        kind: 'essay',
        minutes: at,
        author: ines.id,
      })
    }
    await content.writeGlobal('site', { siteName: 'The museum' })
  }

/** The museum with something in it. */
export const museumOf = (count: number): DaybookConfig => ({
  ...museum,
  seed: posts(count) as NonNullable<DaybookConfig['seed']>,
})
