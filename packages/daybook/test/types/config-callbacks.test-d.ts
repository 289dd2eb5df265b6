// Functions in a config are typed without annotations: what they are given, and what they may answer. tsc is the test.
import {
  defineCollection,
  defineConfig,
  defineGlobal,
  definePlugin,
  f,
  type SeedContentOf,
  type ValidationContentOf,
  type ValidationResult,
} from 'daybook'
import type { Alike, Equal, Expect } from './expect.ts'

type IsAny<V> = 0 extends 1 & V ? true : false

/** Compiles only for a value of this type, which nothing has made `any`. */
const exactly =
  <T>() =>
  <V>(_value: V & (IsAny<V> extends true ? never : Alike<V, T> extends true ? unknown : never)): undefined =>
    undefined

// Rules and validators of every field type.
const access = { access: { read: () => true } }
export const everyField = {
  text: f.text({
    required: true,
    access: {
      read: ({ identity }) => identity?.roles.includes('editor') ?? false,
      write: (caller) => caller.identity !== null,
    },
    validate: (value, { entry, before, operation, identity, locale, content }) => {
      exactly<string>()(value)
      exactly<'create' | 'update'>()(operation)
      exactly<Readonly<Record<string, unknown>> | null>()(before)
      exactly<string | undefined>()(locale)
      return entry.other === value && identity?.subject === value
        ? content.get('posts', value).then(() => [])
        : undefined
    },
  }),
  markdown: f.markdown({
    access: { read: (caller) => caller.identity !== null },
    validate: (value) => exactly<string>()(value),
  }),
  number: f.number({
    access: { read: (caller) => caller.identity !== null },
    validate: (value) => exactly<number>()(value),
  }),
  integer: f.integer({ min: 0, validate: (value) => exactly<number>()(value) }),
  boolean: f.boolean({ default: true, validate: (value) => exactly<boolean>()(value) }),
  date: f.date({ validate: (value) => exactly<string>()(value) }),
  datetime: f.datetime({ validate: (value) => exactly<string>()(value) }),
  email: f.email({ unique: true, validate: (value) => exactly<string>()(value) }),
  url: f.url({ validate: (value) => exactly<string>()(value) }),
  slug: f.slug({ from: 'text', validate: (value) => exactly<string>()(value) }),
  status: f.status({ validate: (value) => exactly<string>()(value) }),
  select: f.select({ options: ['a', 'b'], validate: (value) => exactly<string>()(value) }),
  selectMany: f.select({ options: ['a', 'b'], many: true, validate: (value) => exactly<readonly string[]>()(value) }),
  relation: f.relation('posts', { validate: (value) => exactly<string>()(value) }),
  relationMany: f.relation('posts', { many: true, validate: (value) => exactly<readonly string[]>()(value) }),
  json: f.json<{ readonly x: number }>({ validate: (value) => exactly<{ readonly x: number }>()(value) }),
  jsonRequired: f.json<number>({
    required: true,
    access: { read: (caller) => !caller.identity },
    validate: (value) => exactly<number>()(value),
  }),
  group: f.group(
    { name: f.text({ required: true }), size: f.number() },
    {
      access: { read: (caller) => caller.identity !== null },
      validate: (value) => exactly<{ readonly name: string; readonly size: number | null }>()(value),
    },
  ),
  list: f.list(f.text(), { max: 3, validate: (value) => exactly<readonly string[]>()(value) }),
  blocks: f.blocks(
    { quote: { text: f.text({ required: true, validate: (value) => exactly<string>()(value) }) } },
    {
      validate: (value) =>
        exactly<readonly { readonly _key: string; readonly _type: 'quote'; readonly text: string }[]>()(value),
    },
  ),
}
// A narrower type that the field's options prove may be written out.
f.select({ options: ['a', 'b'], validate: (value: 'a' | 'b') => value })

// @ts-expect-error a text is no number
f.text({ validate: (value: number) => String(value) })
// @ts-expect-error a validator answers nothing, a message or issues
f.text({ validate: () => true })
// @ts-expect-error an issue has a message
f.text({ validate: () => [{ path: '/x' }] })
// @ts-expect-error a path begins with a slash
f.text({ validate: () => [{ path: 'x', message: 'no' }] })
// @ts-expect-error a validator only reads
f.text({ validate: async (value, { content }) => content.create('posts', { value }) })
// @ts-expect-error a misspelt option beside a function
f.text({ validate: (value) => value, maxlength: 5 })
// @ts-expect-error a misspelt option beside one of many
f.relation('posts', { many: true, onDelet: 'unset' })

interface Event {
  readonly id: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly startsAt: string
  readonly endsAt: string | null
}

const events = defineCollection({
  fields: { startsAt: f.datetime({ required: true }), endsAt: f.datetime() },
  access: {
    read: ({ identity }) => identity !== null,
    update: async ({ entry }) => entry?.startsAt !== null,
  },
  validate: (entry, { before, operation, content }) => {
    exactly<Event>()(entry)
    exactly<Event | null>()(before)
    exactly<'create' | 'update'>()(operation)
    void content.list('events', { where: { startsAt: { gt: entry.startsAt } } })
    return entry.endsAt && entry.endsAt < entry.startsAt ? [{ path: '/endsAt', message: 'must be after startsAt' }] : []
  },
  hooks: {
    beforeValidate: ({ data, action }) => ({ ...data, endsAt: action === 'create' ? null : data.endsAt }),
    beforeChange: async ({ before, after, content, asSystem }) => {
      exactly<Event | null>()(before)
      exactly<Event | null>()(after)
      await content.create('log', { text: after?.startsAt })
      await asSystem({ reason: 'counts' }).list('log')
      return { endsAt: after?.startsAt }
    },
    afterCommit: ({ seq, after, signal }) => {
      exactly<number>()(seq)
      exactly<Event | null>()(after)
      exactly<AbortSignal>()(signal)
    },
  },
})

// Fields that some callers may not read can be missing.
defineCollection({
  fields: {
    price: f.number({ required: true, ...access }),
    cost: f.number({ required: true, access: { write: () => true } }),
  },
  validate: ({ price, cost }) => {
    exactly<number | null>()(price)
    exactly<number>()(cost)
  },
})

// Hooks see what the written language itself has; validators what it falls back to, as readers do.
defineCollection({
  fields: { title: f.text({ required: true, localized: true }), tags: f.list(f.text(), { localized: true }) },
  validate: ({ title }, { before }) => {
    exactly<string>()(title)
    exactly<string | null | undefined>()(before?.title)
  },
  hooks: {
    beforeChange: ({ after }) => {
      exactly<string | null | undefined>()(after?.title)
      exactly<readonly string[] | undefined>()(after?.tags)
    },
  },
})

const site = defineGlobal({
  fields: { name: f.text({ required: true }) },
  access: { read: ({ identity }) => identity !== null, update: (caller) => caller.identity !== null },
  validate: (global) => exactly<{ readonly key: string; readonly name: string }>()(global),
  hooks: {
    beforeValidate: ({ data, global }) => ({ ...data, name: global }),
    beforeChange: ({ after }) => exactly<{ readonly key: string; readonly name: string }>()(after),
    afterCommit: ({ after, before }) => void [after.name, before?.name],
  },
})

// @ts-expect-error an entry has no such value
defineCollection({ fields: { title: f.text() }, validate: (entry) => entry.titel })
// @ts-expect-error there is no such hook
defineCollection({ fields: { title: f.text() }, hooks: { beforeSave: () => {} } })
// @ts-expect-error a hook answers values
defineCollection({ fields: { title: f.text() }, hooks: { beforeChange: () => 'yes' } })
// @ts-expect-error there is no such value here, either
defineGlobal({ fields: { name: f.text() }, validate: (global) => global.nom })

const seo = definePlugin({
  name: 'seo',
  version: '1.0.0',
  fields: { events: { seo: f.text({ validate: (value) => exactly<string>()(value) }) } },
  collections: {
    redirects: defineCollection({
      fields: { to: f.text({ required: true }) },
      validate: ({ to }) => exactly<string>()(to),
    }),
  },
})

export const config = defineConfig({
  collections: {
    events,
    // Written without defineCollection, what an entry holds is not known.
    notes: {
      fields: { text: f.text({ access: { read: (caller) => caller.identity !== null } }) },
      access: { read: ({ identity }) => identity !== null },
      validate: (entry, { operation }) => (entry.text === operation ? 'is odd' : undefined),
      hooks: { beforeChange: ({ after }) => ({ text: after?.text }) },
    },
  },
  globals: { site },
  routes: [
    {
      method: 'GET',
      path: '/now',
      summary: 'Answers the time.',
      protection: 'public',
      responses: { 200: { description: 'The time.', schema: { type: 'object' } } },
      run: async ({ content, query, asSystem }) => {
        await asSystem({ reason: 'counts' }).list('events')
        return Response.json({ query, total: (await content.list('events')).total })
      },
    },
  ],
  seed: async (content) => {
    await content.create('notes', { text: 'x' })
  },
  plugins: [seo],
})

defineConfig({
  collections: { events },
  // @ts-expect-error a route says how it is protected
  routes: [{ method: 'GET', path: '/x', summary: 'X.', responses: {}, run: () => new Response() }],
})
defineConfig({
  collections: { events },
  // @ts-expect-error a route answers a response
  routes: [{ method: 'GET', path: '/x', summary: 'X.', protection: 'public', responses: {}, run: () => 'x' }],
})

export type Events = Expect<Equal<(typeof config)['collections']['events']['fields'], (typeof events)['fields']>>

// A seed that names the collections it fills is typed by them; one that does not takes any data.
const seeded = {
  collections: { posts: defineCollection({ fields: { title: f.text({ required: true }), size: f.number() } }) },
  globals: { site: defineGlobal({ fields: { name: f.text() } }) },
}
export const typedSeed = defineConfig({
  ...seeded,
  seed: async (content: SeedContentOf<typeof seeded>) => {
    const { id } = await content.create('posts', { title: 'A' })
    await content.update('posts', id, { size: 1 })
    await content.writeGlobal('site', { name: 'A' })
    // @ts-expect-error the title is missing
    await content.create('posts', { size: 1 })
    // @ts-expect-error no such field
    await content.create('posts', { title: 'A', titel: 'A' })
    // @ts-expect-error no such collection
    await content.create('post', { title: 'A' })
    // @ts-expect-error a number
    await content.update('posts', id, { size: 'many' })
    // @ts-expect-error no such global
    await content.writeGlobal('sites', { name: 'A' })
  },
})

// A validator reads what its own config holds.
export const checked = defineConfig({
  collections: {
    shows: defineCollection({
      fields: { title: f.text({ required: true }), seats: f.integer() },
      validate: async ({ title }, { content }): Promise<ValidationResult> => {
        const typed = content as ValidationContentOf<typeof checked>
        const { items } = await typed.list('shows', { where: { title: { eq: title } } })
        const seats: number | null | undefined = items[0]?.seats
        const { name } = await typed.readGlobal('house')
        const text: string | null = name
        // @ts-expect-error no such field
        const none = items[0]?.seat
        // @ts-expect-error no such collection
        await typed.get('show', 'x')
        return seats === null && text === null && none ? 'no seats' : undefined
      },
    }),
  },
  globals: { house: defineGlobal({ fields: { name: f.text() } }) },
})
export type CheckedEntry = Expect<
  Equal<(typeof checked)['collections']['shows']['fields']['seats'], ReturnType<typeof f.integer<Record<never, never>>>>
>

export const openSeed = defineConfig({
  ...seeded,
  seed: async ({ create }) => void (await create('any', { thing: 1 })),
})
