import { defineCollection, defineConfig, f, isAuthenticated } from 'daybook'
import { expect } from 'vitest'
import { as, People } from '../../support/auth/people.ts'
import { runScenarios, type Step } from '../../support/scenarios/scenario.ts'
import { batch, create, get, refused } from '../../support/scenarios/steps.ts'

const people = new People({ ines: ['editor'], tomasz: [] })

/** A collection for each kind of access rule. */
const config = defineConfig({
  auth: people.adapter,
  locales: { default: 'en', available: ['en', 'de'] },
  collections: {
    posts: defineCollection({
      fields: {
        title: f.text({ required: true, localized: true }),
        slug: f.slug({ from: 'title' }),
        status: f.status(),
        body: f.markdown(),
        secret: f.text({ access: { read: isAuthenticated } }),
      },
    }),
    authors: defineCollection({ fields: { born: f.integer(), name: f.text({ required: true }) } }),
    /** A title that only callers with a session may read. */
    agents: defineCollection({
      fields: { name: f.text({ access: { read: isAuthenticated } }), cover: f.text(), note: f.text() },
    }),
    members: defineCollection({ fields: { name: f.text() }, access: { read: isAuthenticated } }),
    diaries: defineCollection({
      fields: { title: f.text(), owner: f.text() },
      access: { read: ({ identity }) => ({ owner: { eq: identity?.subject ?? 'nobody' } }) },
    }),
    /** A collection without searchable fields. */
    figures: defineCollection({ fields: { amount: f.integer() } }),
  },
})

const search = (words: string, more = ''): string => `/api/cms/search?q=${encodeURIComponent(words)}${more}`
/** Returns a search that finds exactly these titles, in this order. */
const finds = (path: string, ...titles: readonly (string | null)[]): Step =>
  get(path, { exactly: { items: titles.map((title) => expect.objectContaining({ title })) } })

const CONTENT: readonly Step[] = [
  create('posts', { title: 'Ink of oak galls', body: 'Vitriol.', secret: 'hush' }, { keep: { ink: '/id' } }),
  create('posts', { title: 'Paper', body: 'It takes ink.' }),
  create('posts', { title: 'Inkwells', status: 'draft' }),
  create('authors', { name: 'Ines Inkster' }, { keep: { author: '/id' } }),
  create('agents', { name: 'Ink', cover: 'A clerk', note: 'Writes with ink.' }),
  create('members', { name: 'Ink club' }),
  create('diaries', { title: 'Ink, day one', owner: 'ines' }),
]

runScenarios('a search of all collections', [
  {
    name: 'returns the best match of each collection, then the second best of each',
    config,
    steps: [
      ...CONTENT,
      get(search('ink'), {
        responseHeaders: { 'cache-control': 'private, no-store' },
        exactly: {
          items: [
            {
              collection: 'posts',
              id: '{ink}',
              slug: 'ink-of-oak-galls',
              status: 'published',
              title: 'Ink of oak galls',
            },
            { collection: 'authors', id: '{author}', title: 'Ines Inkster' },
            expect.objectContaining({ collection: 'agents' }),
            expect.objectContaining({ title: 'Paper' }),
          ],
        },
      }),
      finds(search('nothing of it')),
      finds(search('  ')),
      finds(search('oak ink'), 'Ink of oak galls'),
    ],
  },
  {
    name: 'finds the entries that lists show to the caller',
    config,
    steps: [
      ...CONTENT,
      as('tomasz', finds(search('inkwells'), 'Inkwells')),
      finds(search('inkwells')),
      as('tomasz', finds(search('hush'), 'Ink of oak galls')),
      finds(search('hush')),
      as('tomasz', finds(search('club'), 'Ink club')),
      finds(search('club')),
      as('ines', finds(search('day one'), 'Ink, day one')),
      as('tomasz', finds(search('day one'))),
      finds(search('day one')),
    ],
  },
  {
    name: 'uses only readable fields as titles',
    config,
    steps: [
      ...CONTENT,
      finds(search('writes'), 'A clerk'),
      as('tomasz', finds(search('writes'), 'Ink')),
      create('agents', { note: 'Quill.' }),
      finds(search('quill'), null),
    ],
  },
  {
    name: 'searches one locale',
    config,
    steps: [
      create('posts', { title: 'Ink' }, { keep: { id: '/id' } }),
      { method: 'PUT', path: '/api/posts/{id}?locale=de', auth: true, json: { title: 'Tinte' }, status: 200 },
      finds(search('ink'), 'Ink'),
      finds(search('tinte')),
      finds(search('tinte', '&locale=de'), 'Tinte'),
      refused(search('ink', '&locale=fr'), 'locale'),
      refused(search('ink', '&locale=all'), 'locale'),
    ],
  },
  {
    name: 'is limited in total and for each collection',
    config,
    steps: [
      batch(Array.from({ length: 12 }, (_, n) => ({ op: 'create', collection: 'posts', data: { title: `Ink ${n}` } }))),
      create('authors', { name: 'Ink' }),
      get(search('ink', '&limit=3'), {
        body: { items: [{ collection: 'posts' }, { collection: 'authors' }, { collection: 'posts' }] },
      }),
      get(search('ink', '&limit=1'), { body: { items: [{ collection: 'posts' }] } }),
      get(search('ink', '&limit=100'), { body: { items: expect.objectContaining({ length: 11 }) } }),
      refused(search('ink', '&limit=101'), 'limit'),
      refused(search('ink', '&limit=0'), 'limit'),
    ],
  },
  {
    name: 'searches the requested collections that the caller may read',
    config,
    steps: [
      ...CONTENT,
      finds(search('ink', '&collections=authors'), 'Ines Inkster'),
      as('tomasz', finds(search('ink', '&collections=members,authors'), 'Ines Inkster', 'Ink club')),
      refused(search('ink', '&collections=members'), 'collections'),
      refused(search('ink', '&collections=nowhere'), 'collections'),
    ],
  },
  {
    name: 'needs words of the length that lists accept',
    config,
    steps: [
      refused('/api/cms/search', 'q'),
      refused(search('a'.repeat(257)), 'q'),
      refused(search('ink', '&sort=title'), 'sort'),
    ],
  },
])
