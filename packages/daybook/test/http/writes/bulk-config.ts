import { defineCollection, defineConfig, definePlugin, f, hasRole } from 'daybook'
import { expect } from 'vitest'
import { People } from '../../support/auth/people.ts'
import type { StoredService } from '../../support/stores/stores.ts'

export const people = new People({ ann: ['editor'], cleo: [] })

/** A plugin whose hook throws for entries with the title `cursed`, and hangs for `stuck`. */
const guard = definePlugin({
  name: 'guard',
  version: '1.0.0',
  hooks: {
    collections: {
      guarded: {
        beforeChange: ({ before }) => {
          if (before?.title === 'cursed') throw new Error('a fault of the hook')
          return before?.title === 'stuck' ? new Promise<void>(() => {}) : undefined
        },
      },
    },
  },
})

/** `beforeWrite` runs once, between the search for entries and their write. */
export const race: { beforeWrite?: (() => Promise<unknown>) | undefined } = {}

export const config = defineConfig({
  auth: people.adapter,
  limits: { pluginMs: 1500 },
  plugins: [guard],
  locales: { available: ['en', 'de'], default: 'en' },
  collections: {
    posts: defineCollection({
      fields: {
        title: f.text({ required: true, localized: true }),
        slug: f.slug({ from: 'title' }),
        status: f.status(),
        code: f.text({ unique: true }),
        secret: f.text({ access: { read: hasRole('editor') } }),
        topic: f.relation('topics'),
        count: f.number(),
      },
    }),
    topics: defineCollection({ fields: { name: f.text({ required: true }), parent: f.relation('topics') } }),
    pages: defineCollection({ fields: { title: f.text(), topic: f.relation('topics', { onDelete: 'restrict' }) } }),
    own: defineCollection({
      fields: { title: f.text(), owner: f.text() },
      access: {
        read: ({ identity }) => identity?.roles.includes('editor') === true || { title: { ne: 'unseen' } },
        update: ({ identity, entry }) => entry?.owner === identity?.subject,
        delete: ({ identity }) => ({ owner: { eq: identity?.subject ?? '' } }),
      },
    }),
    guarded: defineCollection({ fields: { title: f.text() } }),
    judged: defineCollection({
      fields: {
        title: f.text({ validate: (value) => (value === 'rude' ? 'must be polite' : undefined) }),
        count: f.number(),
      },
      validate: ({ title }) => {
        if (title === 'cursed') throw new Error('a fault of the validator')
        return title === 'stuck' ? new Promise<undefined>(() => {}) : undefined
      },
    }),
    raced: defineCollection({
      fields: { title: f.text(), count: f.number() },
      access: {
        update: async ({ entry }) => {
          if (entry?.title !== 'last') return true
          const work = race.beforeWrite
          race.beforeWrite = undefined
          await work?.()
          return true
        },
      },
    }),
    parts: defineCollection({
      fields: { name: f.text(), of: f.relation('parts', { onDelete: 'restrict' }) },
    }),
    strict: defineCollection({ requireIfMatch: true, fields: { title: f.text() } }),
  },
})

export interface BulkResponse {
  readonly status: number
  readonly headers: Headers
  readonly body: {
    readonly code?: string
    readonly message?: string
    readonly details?: Record<string, unknown>
  } & Record<string, unknown>
}

export async function fill(service: StoredService, collection: string, count: number): Promise<void> {
  for (let done = 0; done < count; done += 500) {
    const operations = Array.from({ length: Math.min(500, count - done) }, (_, n) => ({
      op: 'create',
      collection,
      data: { name: `${done + n}` },
    }))
    const response = await service.request('/api/cms/batch', {
      method: 'POST',
      headers: { Authorization: `Bearer ${service.token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ operations }),
    })
    expect(response.status).toBe(200)
  }
}
