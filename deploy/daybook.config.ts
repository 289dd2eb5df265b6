// The config of the image: closed registration, access by role, PostgreSQL, S3, and a proxy in front. Replace the content with yours.
import { studio } from '@daybook/studio'
import { type AccessRule, defineCollection, defineConfig, defineGlobal, f, hasRole } from 'daybook'
import { betterAuth } from 'daybook/better-auth'
import { postgres } from 'daybook/postgres'
import { s3 } from 'daybook/s3'

const isEditor = hasRole('editor', 'admin', 'service')
const isAuthor = hasRole('author', 'editor', 'admin', 'service')

/** Editors change every entry, authors the entries that they have created. */
const isEditorOrCreator: AccessRule = (caller) =>
  isEditor(caller) || (isAuthor(caller) && caller.identity !== null && { createdBy: { eq: caller.identity.subject } })

const byEditors = { create: isEditor, update: isEditor, delete: isEditor }
const byAuthors = { create: isAuthor, update: isEditorOrCreator, delete: isEditorOrCreator }

const posts = defineCollection({
  fields: {
    title: f.text({ required: true, maxLength: 200 }),
    slug: f.slug({ from: 'title' }),
    body: f.markdown(),
    cover: f.asset({ accept: ['image/*'] }),
    status: f.status({ default: 'draft' }),
    publishedOn: f.date(),
  },
  access: byAuthors,
})

const pages = defineCollection({
  fields: {
    title: f.text({ required: true, maxLength: 200 }),
    slug: f.slug({ from: 'title' }),
    body: f.markdown(),
  },
  access: byEditors,
})

const site = defineGlobal({
  fields: { siteName: f.text({ required: true, maxLength: 120 }), siteUrl: f.url({ required: true }) },
  access: { update: isEditor },
})

export default defineConfig({
  collections: { posts, pages },
  globals: { site },
  database: postgres(process.env.DATABASE_URL),
  assets: { store: s3({ bucket: process.env.S3_BUCKET }), access: byAuthors },
  // The first administrator: daybook user create ann@example.org --role admin
  auth: betterAuth({ registration: 'closed', baseURL: process.env.PUBLIC_URL }),
  // The reverse proxy or the ingress. Count a load balancer in front of it, too.
  trustProxy: 1,
  plugins: [studio()],
})
