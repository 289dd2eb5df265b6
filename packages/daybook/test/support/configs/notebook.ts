import {
  type AccessRule,
  type AccessWhere,
  defineCollection,
  defineConfig,
  defineGlobal,
  f,
  hasRole,
  isAuthenticated,
} from 'daybook'
import { People } from '../auth/people.ts'

/** Ann and Bob edit, Ada administers, Cleo has no role. */
export const people = new People({ ann: ['editor'], bob: ['editor'], ada: ['admin'], cleo: [] })

const isAdmin = hasRole('admin', 'service')
const isOwner: AccessRule = (request) =>
  isAdmin(request) || (request.identity !== null && { owner: { eq: request.identity.subject } })
const SHARED: AccessWhere = { shared: { eq: true } }

const notes = defineCollection({
  fields: {
    title: f.text({ required: true }),
    slug: f.slug({ from: 'title' }),
    status: f.status(),
    body: f.markdown(),
    owner: f.text({ search: false }),
    shared: f.boolean({ default: false }),
    labels: f.select({ options: ['red', 'green'], many: true }),
    secret: f.text({ access: { read: isAdmin, write: isAdmin } }),
    rank: f.select({ options: ['usual', 'high'], access: { write: isAdmin } }),
    next: f.relation('notes'),
    links: f.relation('notes', { many: true }),
  },
  access: {
    read: (request) => {
      if (isAdmin(request)) return true
      return request.identity ? { or: [{ owner: { eq: request.identity.subject } }, SHARED] } : SHARED
    },
    create: (request) => hasRole('editor', 'admin')(request) && isOwner(request),
    update: isOwner,
    delete: (request) =>
      isAdmin(request) || (request.identity !== null && request.entry?.owner === request.identity.subject),
  },
})

/** Content that is in reach or not, by who asks, by the entry, and by what it belongs to. */
export const notebook = defineConfig({
  auth: people.adapter,
  collections: {
    notes,
    /** Public, and refer to notes. */
    pages: defineCollection({
      fields: {
        title: f.text({ required: true }),
        slug: f.slug({ from: 'title' }),
        note: f.relation('notes'),
        notes: f.relation('notes', { many: true }),
        pin: f.relation('notes', { onDelete: 'restrict' }),
        team: f.relation('teams'),
      },
    }),
    /** Only what is shut is deleted. */
    teams: defineCollection({
      fields: {
        name: f.text({ required: true }),
        slug: f.slug({ from: 'name' }),
        status: f.status(),
        open: f.boolean(),
      },
      access: { delete: ({ identity }) => identity !== null && { open: { eq: false } } },
    }),
    /** In reach while the team is open. */
    boards: defineCollection({
      fields: { name: f.text({ required: true }), slug: f.slug({ from: 'name' }), team: f.relation('teams') },
      access: { read: (request) => isAdmin(request) || { 'team.open': { eq: true } } },
    }),
    ledgers: defineCollection({
      fields: {
        title: f.text({ required: true }),
        slug: f.slug({ from: 'title' }),
        note: f.relation('notes'),
        pin: f.relation('notes', { onDelete: 'restrict' }),
      },
      access: { read: isAdmin },
    }),
    /** Anyone throws in, and nobody looks. */
    letters: defineCollection({
      fields: { text: f.text({ required: true }) },
      access: { read: isAdmin, create: () => true },
    }),
    /** Only drafts change. */
    plans: defineCollection({
      fields: { title: f.text({ required: true }), slug: f.slug({ from: 'title' }), status: f.status() },
      access: {
        update: ({ entry, identity }) => identity !== null && entry?.status === 'draft',
        delete: ({ entry, identity }) => identity !== null && entry?.status === 'draft',
      },
    }),
  },
  globals: {
    site: defineGlobal({
      fields: {
        name: f.text(),
        motto: f.text({ access: { write: isAdmin } }),
        secret: f.text({ access: { read: isAdmin } }),
      },
      access: { update: hasRole('editor', 'admin', 'service') },
    }),
    vault: defineGlobal({
      fields: { text: f.text(), pin: f.relation('notes', { onDelete: 'restrict' }) },
      access: { read: isAdmin },
    }),
    internal: defineGlobal({
      fields: { text: f.text(), note: f.relation('notes') },
      access: { read: isAuthenticated },
    }),
  },
})
