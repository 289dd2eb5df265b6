import { type DaybookConfig, defineCollection, defineConfig, defineGlobal, f, isAuthenticated } from 'daybook'
import { CANARY } from '../scenarios/sane.ts'
import type { Step } from '../scenarios/scenario.ts'
import { get } from '../scenarios/steps.ts'

/** A rule for readers with a session; for everyone else the field does not exist. */
const SESSION_ONLY = { read: isAuthenticated } as const

const companies = defineCollection({
  fields: { name: f.text({ required: true }), slug: f.slug({ from: 'name' }), country: f.text() },
})

const people = defineCollection({
  fields: {
    name: f.text({ required: true }),
    slug: f.slug({ from: 'name' }),
    status: f.status(),
    age: f.integer(),
    secret: f.text({ access: SESSION_ONLY }),
    skills: f.select({ options: ['ink', 'glue', 'thread'], many: true }),
    mentor: f.relation('people'),
    circle: f.relation('people', { many: true }),
    employer: f.relation('companies'),
    home: f.group({ city: f.text(), patron: f.relation('people') }),
    shadow: f.relation('people', { access: SESSION_ONLY }),
  },
})

const members = defineCollection({
  access: { read: isAuthenticated },
  fields: { name: f.text({ required: true }), slug: f.slug({ from: 'name' }), friend: f.relation('people') },
})

const books = defineCollection({
  fields: {
    title: f.text({ required: true }),
    slug: f.slug({ from: 'title' }),
    status: f.status(),
    pages: f.integer(),
    price: f.number(),
    lent: f.boolean(),
    day: f.date(),
    moment: f.datetime(),
    genre: f.select({ options: ['novel', 'essay', 'poem'] }),
    moods: f.select({ options: ['dark', 'funny', 'slow'], many: true }),
    mail: f.email(),
    link: f.url(),
    long: f.text({ index: false }),
    author: f.relation('people'),
    authors: f.relation('people', { many: true }),
    publisher: f.relation('companies'),
    owner: f.relation('members'),
    owners: f.relation('members', { many: true }),
    ghost: f.relation('people', { access: SESSION_ONLY }),
    ghosts: f.relation('people', { many: true, access: SESSION_ONLY }),
    unindexed: f.relation('people', { index: false }),
    meta: f.group({
      rank: f.integer(),
      tones: f.select({ options: ['warm', 'cold'], many: true }),
      editor: f.relation('people'),
      readers: f.relation('people', { many: true }),
    }),
    credits: f.list(f.group({ who: f.relation('people'), role: f.text() })),
    picks: f.list(f.relation('companies')),
    parts: f.blocks({
      quote: { text: f.text(), by: f.relation('people') },
      shelf: { label: f.text(), by: f.relation('people'), firms: f.relation('companies', { many: true }) },
    }),
  },
})

/** The first content of the library: published people and books, drafts, and a book with only a title. */
const seed: NonNullable<DaybookConfig['seed']> = async (content) => {
  const make = async (collection: string, data: object): Promise<string> =>
    String((await content.create(collection, data as never)).id)
  const acme = await make('companies', { name: 'Acme', country: 'AT' })
  const globex = await make('companies', { name: 'Globex' })
  const mia = await make('members', { name: `Mia ${CANARY}`, slug: 'mia' })
  const ann = await make('people', {
    name: 'Ann',
    age: 30,
    secret: CANARY,
    skills: ['ink', 'glue'],
    employer: acme,
    home: { city: 'Wien' },
  })
  const bob = await make('people', { name: 'Bob', age: 40, skills: ['glue'], mentor: ann, circle: [ann] })
  const cyd = await make('people', { name: `Cyd ${CANARY}`, slug: 'cyd', status: 'draft', age: 50, employer: globex })
  await make('books', {
    title: 'Alpha',
    slug: 'a',
    pages: 100,
    price: 9.5,
    lent: true,
    day: '2026-01-01',
    moment: '2026-01-01T10:00:00.000Z',
    genre: 'novel',
    moods: ['dark', 'funny'],
    mail: 'alpha@example.org',
    link: 'https://example.org/alpha',
    long: 'long',
    author: ann,
    authors: [ann, bob],
    publisher: acme,
    owner: mia,
    owners: [mia],
    ghost: ann,
    ghosts: [ann],
    unindexed: ann,
    meta: { rank: 1, tones: ['warm'], editor: bob, readers: [ann, cyd] },
    credits: [{ who: bob, role: 'cover' }, { who: cyd }, { role: 'paper' }],
    picks: [globex, acme],
    parts: [
      { _type: 'quote', text: 'x', by: ann },
      { _type: 'shelf', by: cyd, firms: [acme, globex] },
    ],
  })
  await make('books', {
    title: 'Beta',
    slug: 'b',
    pages: 200,
    price: -1e-7,
    lent: false,
    day: '2026-02-01',
    moment: '2026-02-01T00:00:00.000Z',
    genre: 'essay',
    moods: ['funny'],
    mail: 'beta@example.org',
    link: 'https://example.net/beta',
    author: bob,
    authors: [bob],
    meta: { rank: 2, tones: ['warm', 'cold'], readers: [bob] },
  })
  await make('books', { title: 'Gamma', slug: 'c' })
  await make('books', { title: 'Delta', slug: 'd', pages: 300, author: cyd, authors: [cyd, ann] })
  await make('books', {
    title: `Epsilon ${CANARY}`,
    slug: 'e',
    status: 'draft',
    pages: 400,
    author: ann,
    authors: [ann],
  })
}

/**
 * Relations of every kind between books, people and companies, with hidden fields, a closed collection and drafts.
 * Public books: `a` (everything set), `b`, `c` (a title only) and `d`; the draft is `e`. Public people: `ann` and `bob`,
 * whose mentor is Ann; the draft is `cyd`.
 */
export const library = defineConfig({
  collections: { books, people, companies, members },
  globals: {
    front: defineGlobal({
      fields: {
        name: f.text(),
        book: f.relation('books'),
        shelf: f.relation('books', { many: true }),
        inner: f.group({ book: f.relation('books') }),
      },
    }),
  },
  seed,
})

/** Keeps ids under the slugs of their entries. */
export const KEPT_IDS: readonly Step[] = [
  ['people', 'ann'],
  ['people', 'bob'],
  ['people', 'cyd'],
  ['companies', 'acme'],
  ['companies', 'globex'],
  ['members', 'mia'],
  ['books', 'a'],
  ['books', 'b'],
].map(([collection, slug]) => get(`/api/${collection}/${slug}`, { auth: true, keep: { [String(slug)]: '/id' } }))
