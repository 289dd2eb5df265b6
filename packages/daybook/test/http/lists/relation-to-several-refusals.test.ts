import { type Caller, defineCollection, defineConfig, f } from 'daybook'
import { expect } from 'vitest'
import { runPolicyScenarios, type Step } from '../../support/scenarios/scenario.ts'
import { batch, create, faults, get, put, refused, slugs } from '../../support/scenarios/steps.ts'

const named = { title: f.text({ required: true }), slug: f.slug({ from: 'title' }) }

const isSystem = ({ identity }: Pick<Caller, 'identity'>): boolean => identity?.subject === 'system'

/** Anyone may write letters; only the service itself may read the vault. */
const archive = defineConfig({
  collections: {
    posts: defineCollection({ fields: { ...named, status: f.status() } }),
    pages: defineCollection({ fields: named }),
    vault: defineCollection({
      access: { read: isSystem, create: isSystem, update: isSystem, delete: isSystem },
      fields: { ...named, price: f.text() },
    }),
    letters: defineCollection({
      access: { create: () => true },
      fields: {
        ...named,
        about: f.relation(['posts', 'pages', 'vault']),
        related: f.relation(['posts', 'pages'], { many: true }),
        kept: f.relation(['vault']),
      },
    }),
  },
  seed: async (content) => {
    const { id: post } = await content.create('posts', { title: 'Post' })
    await content.create('posts', { title: 'Draft', status: 'draft' })
    const { id: treasure } = await content.create('vault', { title: 'Treasure' })
    await content.create('letters', { title: 'A', about: { collection: 'vault', id: treasure } })
    await content.create('letters', { title: 'B', about: { collection: 'posts', id: post } })
  },
})

const IDS: readonly Step[] = [
  get('/api/posts/post', { keep: { post: '/id' } }),
  get('/api/posts/draft', { auth: true, keep: { draft: '/id' } }),
  get('/api/letters/a', { keep: { a: '/id', treasure: '/about/id' } }),
  get('/api/letters/b', { keep: { b: '/id' } }),
]

const NOBODY = '01a20592-0000-7000-8000-000000000000'

/** Returns the rejection of one field, with its reason. */
const because = (path: string, message: string): object => ({
  status: 400,
  body: { code: 'VALIDATION_ERROR', details: { issues: [{ path, code: 'reference', message }] } },
})

const CLOSED = 'about cannot refer to the collection "vault". Use one of: posts, pages.'

/** Returns different references to entries that do not exist. */
const absent = (count: number): readonly object[] =>
  Array.from({ length: count }, (_, index) => ({
    collection: 'posts',
    id: `01a20592-0000-7000-8000-${String(index).padStart(12, '0')}`,
  }))

const thousand = Array.from({ length: 500 }, (_, index) => index).map((index) => ({
  op: 'create',
  collection: 'pages',
  data: { title: `Page ${index}` },
}))

runPolicyScenarios('relations to several collections, asked and told what they do not take', [
  {
    name: 'reveal nothing about a collection that the caller may not read',
    config: archive,
    steps: [
      ...IDS,
      put('/api/letters/{b}', { about: { collection: 'vault', id: '{treasure}' } }, because('/about', CLOSED)),
      put('/api/letters/{b}', { about: { collection: 'vault', id: NOBODY } }, because('/about', CLOSED)),
      put(
        '/api/letters/{b}',
        { about: { collection: 'nothing', id: '{treasure}' } },
        because('/about', CLOSED.replace('vault', 'nothing')),
      ),
      put(
        '/api/letters/{b}',
        { kept: { collection: 'vault', id: '{treasure}' } },
        because('/kept', 'kept cannot refer to the collection "vault".'),
      ),
      // A document is written back as it was read.
      put(
        '/api/letters/{a}',
        { title: 'A', about: { collection: 'vault', id: '{treasure}' } },
        { body: { about: { collection: 'vault' } } },
      ),
      get('/api/letters/a?include=about', { auth: true, body: { about: null }, lacks: ['Treasure'] }),
      refused('/api/letters?include=about.price', 'include', { auth: true }),
      refused('/api/letters?include=about&select=about.price', 'select', { auth: true }),
      ...['vault', 'nothing'].map((key) =>
        refused(`/api/letters?where[about.collection][eq]=${key}`, 'where[about.collection][eq]', {
          auth: true,
          body: { details: { issues: [{ message: 'where[about.collection][eq] must be one of: posts, pages.' }] } },
        }),
      ),
      refused('/api/letters?where[kept.collection][eq]=vault', 'where[kept.collection][eq]', {
        body: {
          details: {
            issues: [
              {
                message:
                  'where[kept.collection][eq] must be a collection that you are allowed to read, but there is none.',
              },
            ],
          },
        },
      }),
      get('/openapi.json', { auth: true, lacks: ['vault', 'VaultEntry', 'VaultIncluded'] }),
      get('/api/cms/model', { auth: true, lacks: ['vault'] }),
    ],
  },
  {
    name: 'treat an entry that the caller may not see like one that does not exist',
    config: archive,
    steps: [
      ...IDS,
      ...['{draft}', NOBODY].map((id) =>
        create(
          'letters',
          { title: 'C', about: { collection: 'posts', id } },
          {
            auth: false,
            ...because('/about', `about refers to the entry ${id} of posts, which does not exist.`),
          },
        ),
      ),
      create('letters', { title: 'C', about: { collection: 'posts', id: '{post}' } }, { auth: false }),
      // The id belongs to another collection.
      create(
        'letters',
        { title: 'D', about: { collection: 'pages', id: '{post}' } },
        because('/about', 'about refers to the entry {post} of pages, which does not exist.'),
      ),
    ],
  },
  {
    name: 'hold at most a thousand references',
    config: archive,
    steps: [
      ...IDS,
      put('/api/letters/{b}', { related: absent(1000) }, faults(...Array.from({ length: 100 }, () => '/related'))),
      put('/api/letters/{b}', { related: absent(1001) }, faults('/related')),
      // As many as a body can hold.
      put('/api/letters/{b}', { related: absent(40_000) }, faults('/related')),
      put('/api/letters/{b}', { related: [...absent(999), absent(1)[0]] }, faults('/related')),
      batch(thousand, { keep: { first: '/results/0/id' } }),
      batch(
        Array.from({ length: 4 }, () => ({
          op: 'update',
          collection: 'letters',
          id: '{b}',
          data: {
            related: [
              { collection: 'posts', id: '{post}' },
              { collection: 'pages', id: '{first}' },
            ],
          },
        })),
      ),
      get('/api/letters?where[related.collection][all]=posts,pages', { body: { total: 1, ...slugs('b') } }),
    ],
  },
  {
    name: 'suggest sortable fields',
    config: archive,
    steps: [
      refused('/api/letters?sort=about', 'sort', {
        body: {
          details: {
            issues: [
              {
                message: expect.stringContaining(
                  'about refers to several collections. Sort by about.collection or about.id',
                ),
              },
            ],
          },
        },
      }),
      refused('/api/letters?sort=about.title', 'sort', {
        body: { details: { issues: [{ message: expect.stringContaining('Sort by about.collection or about.id') }] } },
      }),
    ],
  },
])
