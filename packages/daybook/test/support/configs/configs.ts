import {
  type AccessRule,
  defineCollection,
  defineConfig,
  defineGlobal,
  definePlugin,
  f,
  hasRole,
  isAuthenticated,
  type Plugin,
} from 'daybook'

/** A rule for readers with a session; for everyone else the field does not exist. */
const SESSION_ONLY = { read: isAuthenticated } as const
const anyone = (): boolean => true
const nobody = (): boolean => false

/** Every field type with the options that change what it takes. */
const things = defineCollection({
  fields: {
    title: f.text({ required: true, minLength: 1, maxLength: 80 }),
    slug: f.slug({ from: 'title' }),
    status: f.status(),
    code: f.text({ unique: true, pattern: '^[A-Z]{2}[0-9]+$', search: false }),
    long: f.text({ index: false }),
    body: f.markdown(),
    plain: f.markdown({ html: false, search: false, maxLength: 100 }),
    amount: f.number({ min: -1000, max: 1e9 }),
    count: f.integer({ default: 7 }),
    flag: f.boolean(),
    day: f.date(),
    moment: f.datetime(),
    kind: f.select({ options: ['red', 'green', 'blue'], default: 'red' }),
    kinds: f.select({ options: ['a', 'b', 'c'], many: true }),
    mail: f.email(),
    link: f.url(),
    data: f.json(),
    point: f.json({
      schema: {
        type: 'object',
        properties: { x: { type: 'number' }, y: { type: 'number' } },
        required: ['x', 'y'],
        additionalProperties: false,
      },
    }),
    parent: f.relation('things'),
    friends: f.relation('things', { many: true }),
    seo: f.group({ title: f.text({ maxLength: 20 }), text: f.markdown(), inner: f.group({ rank: f.integer() }) }),
    words: f.list(f.text({ maxLength: 10 }), { max: 5 }),
    rows: f.list(f.group({ name: f.text({ required: true }), size: f.integer() })),
    parts: f.blocks({
      quote: { text: f.text({ required: true }), by: f.text() },
      prose: { text: f.markdown() },
    }),
  },
})

/** Fields that only a session sees, beside a public one. */
const dossiers = defineCollection({
  fields: {
    title: f.text({ required: true }),
    slug: f.slug({ from: 'title' }),
    status: f.status(),
    secret: f.text({ access: SESSION_ONLY }),
    notes: f.markdown({ access: SESSION_ONLY }),
    rank: f.integer({ access: SESSION_ONLY }),
    inner: f.group({ code: f.text() }, { access: SESSION_ONLY }),
    frozen: f.text({ access: { write: () => false } }),
  },
})

const named = { title: f.text({ required: true }), slug: f.slug({ from: 'title' }) }

/** Every field type, hidden fields, access rules, preconditions and CORS. */
export const kitchen = defineConfig({
  collections: {
    things,
    dossiers,
    /** No slug and no status: addressed by id. */
    notes: defineCollection({ fields: { text: f.text({ required: true }) } }),
    ledgers: defineCollection({ requireIfMatch: true, fields: named }),
    members: defineCollection({ access: { read: isAuthenticated }, fields: named }),
    guestbook: defineCollection({ access: { create: anyone }, fields: named }),
    archive: defineCollection({ access: { update: nobody, delete: nobody }, fields: named }),
    /** A slug that is never made. */
    pages: defineCollection({ fields: { title: f.text(), slug: f.slug() } }),
    few: defineCollection({ maxLimit: 3, fields: named }),
  },
  globals: {
    site: defineGlobal({
      fields: { siteName: f.text({ required: true }), about: f.markdown(), secret: f.text({ access: SESSION_ONLY }) },
    }),
    banner: defineGlobal({ requireIfMatch: true, fields: { text: f.text() } }),
    internal: defineGlobal({ access: { read: isAuthenticated }, fields: { text: f.text() } }),
    wall: defineGlobal({ access: { update: anyone }, fields: { text: f.text() } }),
  },
  cors: { origins: ['https://app.example.org'], credentials: true },
})

/** Bounds that tests can reach. */
export const small = defineConfig({
  collections: { notes: defineCollection({ fields: { text: f.text(), body: f.markdown() } }) },
  limits: { bodyBytes: 1024 },
})

/** An empty blog, for tests that bring their own entries. */
export const posts = defineConfig({
  collections: {
    posts: defineCollection({
      fields: {
        title: f.text({ required: true }),
        slug: f.slug({ from: 'title' }),
        body: f.markdown(),
        status: f.status(),
        rank: f.integer(),
        score: f.number(),
        flag: f.boolean(),
        day: f.date(),
        group: f.text({ search: false }),
        seo: f.group({ order: f.integer() }),
      },
    }),
  },
})

// The rules of docs/guides/contributors-and-editors.md.

export const isEditor = hasRole('editor', 'service')

export const publishedOrOwn: AccessRule = (request) => {
  const published = { status: { eq: 'published' } }
  if (isEditor(request)) return true
  return request.identity ? { or: [published, { createdBy: { eq: request.identity.subject } }] } : published
}

export const ownDrafts: AccessRule = (request) =>
  isEditor(request) ||
  (hasRole('contributor')(request) &&
    request.identity !== null && { createdBy: { eq: request.identity.subject }, status: { eq: 'draft' } })

/** A plugin whose one route, `GET /fail`, fails. */
export const failingPlugin: Plugin = definePlugin({
  name: 'failing',
  version: '1.0.0',
  routes: [
    {
      method: 'GET',
      path: '/fail',
      operationId: 'fail',
      summary: 'Fails.',
      protection: 'public',
      responses: { 200: { description: 'Never.' } },
      run: () => {
        throw new Error('On purpose.')
      },
    },
  ],
})
