import { type DaybookConfig, defineCollection, defineConfig, defineGlobal, f } from 'daybook'

const authors = defineCollection({
  orderable: true,
  fields: {
    name: f.text({ required: true }),
    slug: f.slug({ from: 'name' }),
    email: f.email({ unique: true }),
    posts: f.reverse('posts.author'),
  },
})

const posts = defineCollection({
  fields: {
    title: f.text({ required: true, localized: true }),
    slug: f.slug({ from: 'title' }),
    status: f.status(),
    body: f.markdown(),
    category: f.select({ options: ['guides', 'news'] }),
    topics: f.select({ options: ['ink', 'glue', 'thread'], many: true }),
    words: f.integer(),
    author: f.relation('authors'),
    cover: f.asset(),
    meta: f.group({ label: f.text(), rank: f.integer() }),
  },
})

const site = defineGlobal({ fields: { name: f.text({ required: true }), motto: f.text(), lead: f.relation('posts') } })

const seed: NonNullable<DaybookConfig['seed']> = async (content) => {
  const ann = await content.create('authors', { name: 'Ann', email: 'ann@example.org' })
  const post = async (title: string, words: number, more: object = {}): Promise<void> => {
    await content.create('posts', { title, words, author: ann.id, ...more })
  }
  await post('Alpha', 100, { category: 'guides', topics: ['ink', 'glue'], meta: { label: 'a', rank: 1 } })
  await post('Beta & Söhne', 200, { category: 'news', topics: ['glue'] })
  await post('日記', 300)
  await post('Delta', 400, { author: null })
  await post('Draft', 500, { status: 'draft' })
  await content.writeGlobal('site', { name: 'Blog' })
}

/** The config of the suite: five posts, one of them unpublished, an author, a global and two locales. */
export function blogFor(origins: readonly string[]) {
  return defineConfig({
    collections: { posts, authors },
    globals: { site },
    locales: { default: 'en', available: ['en', 'de'] },
    limits: { signInsPerMinute: 1000, authMs: 60_000 },
    cors: { origins, credentials: true },
    assets: { maxBytes: 1_000_000 },
    seed,
  })
}

export type Blog = ReturnType<typeof blogFor>
