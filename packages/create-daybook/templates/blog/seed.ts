import type { SeedContent } from 'daybook'

/** Stores the first entries, once, when the database is new. */
export async function seed(content: SeedContent): Promise<void> {
  await content.writeGlobal('site', { siteName: 'My content', siteUrl: 'https://example.org' })

  const ada = await content.create('authors', { name: 'Ada Example', bio: 'Writes what comes *first*.' })

  await content.create('posts', {
    title: 'Hello, daybook',
    body: 'The **first** post. Change it, or delete it.',
    author: ada.id,
    publishedOn: '2026-11-20',
  })
  await content.create('posts', {
    title: 'Not ready yet',
    body: 'A draft: only who has a session reads it.',
    status: 'draft',
    author: ada.id,
  })
}
