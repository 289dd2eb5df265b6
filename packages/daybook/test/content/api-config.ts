import { type Caller, DaybookError, defineCollection, defineConfig, defineGlobal, f, isAuthenticated } from 'daybook'

export const NOBODY = '0198c0de-1111-7000-8000-00000000000b'

/** A caller with an ordinary session, without the role `service`. */
export const INES: Caller = {
  principal: { id: 'ines' },
  identity: {
    provider: 'test',
    subject: 'ines',
    sessionId: 's',
    actorType: 'human',
    expiresAt: null,
    claims: {},
    roles: [],
  },
}

export const config = defineConfig({
  collections: {
    posts: defineCollection({
      fields: {
        title: f.text({ required: true }),
        slug: f.slug({ from: 'title' }),
        state: f.status(),
        notes: f.text({ access: { read: isAuthenticated } }),
      },
    }),
    ledgers: defineCollection({ fields: { title: f.text() }, requireIfMatch: true }),
    secrets: defineCollection({
      fields: { title: f.text() },
      access: { read: ({ identity }) => identity?.actorType === 'service', delete: () => false },
    }),
    guestbook: defineCollection({ fields: { title: f.text() }, access: { create: () => true } }),
  },
  globals: {
    site: defineGlobal({ fields: { name: f.text({ required: true }), about: f.markdown() } }),
    closed: defineGlobal({ fields: { name: f.text() }, access: { read: isAuthenticated, update: () => false } }),
  },
})

export async function codeOf(call: Promise<unknown>): Promise<string> {
  try {
    await call
    return 'accepted'
  } catch (error) {
    if (error instanceof DaybookError) return error.code
    throw error
  }
}
