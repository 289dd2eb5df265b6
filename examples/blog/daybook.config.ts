import { studio } from '@daybook/studio'
import { defineCollection, defineConfig, defineGlobal, f } from 'daybook'
import { betterAuth } from 'daybook/better-auth'
import { postgres } from 'daybook/postgres'
import { s3 } from 'daybook/s3'
import { seed } from './seed.ts'

const authors = defineCollection({
  label: { en: 'Authors', de: 'Autoren' },
  singularLabel: { en: 'Author', de: 'Autor' },
  description: 'People who write.',
  fields: {
    name: f.text({ required: true, maxLength: 120 }),
    slug: f.slug({ from: 'name' }),
    bio: f.markdown(),
    website: f.url(),
    posts: f.reverse('posts.author'),
  },
})

const tags = defineCollection({
  label: { en: 'Tags', de: 'Schlagwörter' },
  singularLabel: { en: 'Tag', de: 'Schlagwort' },
  description: 'What posts are about.',
  fields: {
    name: f.text({ required: true, maxLength: 60, unique: true }),
    slug: f.slug({ from: 'name' }),
  },
})

const posts = defineCollection({
  label: { en: 'Posts', de: 'Beiträge' },
  singularLabel: { en: 'Post', de: 'Beitrag' },
  description: 'Articles of the blog.',
  fields: {
    title: f.text({ required: true, maxLength: 200 }),
    slug: f.slug({ from: 'title' }),
    body: f.markdown(),
    status: f.status(),
    author: f.relation('authors'),
    tags: f.relation('tags', { many: true }),
    category: f.text({ maxLength: 60, search: false }),
    publishedOn: f.date(),
  },
})

const pages = defineCollection({
  label: { en: 'Pages', de: 'Seiten' },
  singularLabel: { en: 'Page', de: 'Seite' },
  description: 'What stands beside the blog, in every language.',
  fields: {
    title: f.text({ required: true, localized: true, maxLength: 200 }),
    slug: f.slug({ from: 'title', localized: true }),
    body: f.markdown({ localized: true }),
  },
})

const site = defineGlobal({
  label: { en: 'Site', de: 'Website' },
  description: 'What every page of the site shows.',
  fields: {
    siteName: f.text({ required: true, maxLength: 120 }),
    siteUrl: f.url({ required: true }),
  },
})

const locales = {
  default: 'en',
  available: ['en', 'es', 'fr', 'ja', 'ko', 'pt-br', 'zh-cn'],
  // Untranslated texts are shown in English.
  fallback: { es: ['en'], fr: ['en'], ja: ['en'], ko: ['en'], 'pt-br': ['en'], 'zh-cn': ['en'] },
} as const

const collections = { posts, authors, tags, pages }

// An embedded file, unless DATABASE_URL names a PostgreSQL database.
const database = process.env.DATABASE_URL ? { database: postgres(process.env.DATABASE_URL) } : {}

// Files are in the data folder, unless S3_BUCKET names a bucket.
const assets = process.env.S3_BUCKET ? { assets: { store: s3({ bucket: process.env.S3_BUCKET }) } } : {}

// Accounts are in the database. For this demonstration, anyone may register, and write.
const auth = betterAuth()

const plugins = [studio({ title: 'The Daybook blog' })]

export default defineConfig({ collections, globals: { site }, locales, auth, plugins, seed, ...database, ...assets })
