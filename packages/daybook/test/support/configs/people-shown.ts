import { defineCollection, defineConfig, defineGlobal, f, hasRole } from 'daybook'
import { People } from '../auth/people.ts'

/** Ann and Bob contribute, Ada edits. */
export const people = new People({ ann: ['contributor'], bob: ['contributor'], ada: ['editor'] })

const isEditor = hasRole('editor', 'service')

const fields = {
  title: f.text({ required: true, localized: true }),
  slug: f.slug({ from: 'title' }),
  status: f.status(),
  next: f.relation('posts'),
} as const

/** Documents whose people sessions know, all readers know, or editors know; and those of their own people alone. */
export const peopleShown = defineConfig({
  auth: people.adapter,
  locales: { default: 'en', available: ['en', 'de'], fallback: { de: ['en'] } },
  collections: {
    posts: defineCollection({ fields, access: { create: () => true } }),
    signed: defineCollection({ fields: { title: f.text(), slug: f.slug({ from: 'title' }) }, people: { read: true } }),
    quiet: defineCollection({ fields: { title: f.text() }, people: { read: isEditor } }),
    own: defineCollection({
      fields: { title: f.text(), secret: f.text({ access: { read: isEditor } }) },
      access: {
        read: ({ identity }) => identity !== null && { createdBy: { eq: identity.subject } },
        update: ({ identity, entry }) => identity !== null && entry?.createdBy === identity.subject,
        delete: ({ identity, entry }) => identity !== null && entry?.createdBy === identity.subject,
      },
      people: { read: isEditor },
    }),
  },
  globals: {
    site: defineGlobal({ fields: { name: f.text({ localized: true }) } }),
    imprint: defineGlobal({ fields: { name: f.text() }, people: { read: true } }),
  },
})
