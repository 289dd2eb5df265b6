import { type DaybookConfig, defineCollection, defineConfig, defineGlobal, f, type SeedContent } from 'daybook'
import { SLOW_MACHINE_LIMITS } from '../../../daybook/test/support/timeouts.ts'
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

/** The content of a museum, with a field of each simple type. */
export const museum = defineConfig({
  limits: { ...SLOW_MACHINE_LIMITS, signInsPerMinute: 1000 },
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

export const posts =
  (count: number) =>
  async (content: SeedContent): Promise<void> => {
    const ines = await content.create('authors', { name: 'Inés Prado' })
    for (let number = 1; number <= count; number += 1) {
      await content.create('posts', {
        title: `Post ${number}`,
        status: number % 5 === 0 ? 'draft' : 'published',
        kind: 'essay',
        minutes: number,
        author: ines.id,
      })
    }
    await content.writeGlobal('site', { siteName: 'The museum' })
  }

export const museumOf = (count: number): DaybookConfig => ({
  ...museum,
  seed: posts(count) as NonNullable<DaybookConfig['seed']>,
})
