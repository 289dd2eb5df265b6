import { createHash } from 'node:crypto'
import { defineCollection, defineConfig, f, isAuthenticated } from 'daybook'
import { expect } from 'vitest'
import { runScenarios, type Step } from '../../support/scenarios/scenario.ts'
import { batch, create, faults, get, patch, put, refused, remove, uploadFile } from '../../support/scenarios/steps.ts'

const ABSENT = '01a1f9d5-ddca-7255-9a37-e7bf8ce09df2'
const digest = (text: string): string => createHash('sha256').update(text).digest('hex')

const config = defineConfig({
  collections: {
    posts: defineCollection({
      fields: {
        title: f.text({ required: true }),
        slug: f.slug({ from: 'title' }),
        cover: f.asset({ accept: ['text/*', 'image/*'], maxBytes: 20 }),
        gallery: f.asset({ many: true }),
        needed: f.group({ file: f.asset({ onDelete: 'restrict' }) }),
      },
    }),
  },
})

const closed = defineConfig({
  ...config,
  assets: {
    access: {
      read: (caller) => isAuthenticated(caller) || { alt: { eq: 'open' } },
      create: ({ identity }) => identity?.actorType === 'service',
      delete: () => false,
    },
  },
})

const inTwoLanguages = defineConfig({
  collections: { posts: defineCollection({ fields: { title: f.text(), cover: f.asset() } }) },
  locales: { default: 'en', available: ['en', 'de'], fallback: { de: ['en'] } },
})

/** Three files. The id of the second is kept as `two`. */
const THREE: readonly Step[] = [
  uploadFile('one', { filename: 'one.txt', alt: 'The first' }, { keep: { one: '/id', tag1: 'ETag' } }),
  uploadFile('number two', { filename: 'two.md', directory: 'notes' }, { keep: { two: '/id', tag2: 'ETag' } }),
  uploadFile('a third file of text, the longest', { filename: 'three.csv' }, { keep: { three: '/id' } }),
]

const names = (...filenames: readonly string[]): object => ({ items: filenames.map((filename) => ({ filename })) })

runScenarios('assets', [
  {
    name: 'are listed like entries, without the name of a collection',
    config,
    steps: [
      get('/api/assets', {
        exactly: { total: 0, limit: 20, offset: 0, items: [], nextCursor: null },
        responseHeaders: { ETag: /^".+"$/, 'Cache-Control': 'public, max-age=0, must-revalidate' },
      }),
      ...THREE,
      get('/api/assets', { body: { total: 3, ...names('three.csv', 'two.md', 'one.txt') }, keep: { list: 'ETag' } }),
      get('/api/assets', { headers: { 'If-None-Match': '{list}' }, status: 304 }),
      get('/api/assets?limit=1&sort=size', { body: { total: 3, ...names('one.txt') }, keep: { next: '/nextCursor' } }),
      get('/api/assets?limit=1&sort=size&cursor={next}', { body: names('two.md') }),
      get('/api/assets?offset=2', { body: names('one.txt') }),
      get('/api/assets?select=path', { body: { items: [{ id: '{three}', path: 'three.csv' }, {}, {}] } }),
      get('/api/assets?aggregate=count:mimeType,sum:size&limit=0', {
        body: { aggregates: { 'sum:size': 46 } },
      }),
      get('/api/assets', { method: 'HEAD' }),
      refused('/api/assets?folder=a', 'folder'),
    ],
  },
  {
    name: 'are found by name, text, type and digest',
    config,
    steps: [
      ...THREE,
      get('/api/assets?q=first', { body: { total: 1, ...names('one.txt') } }),
      get('/api/assets?q=two', { body: { total: 1, ...names('two.md') } }),
      get('/api/assets?q=csv', { body: { total: 1, ...names('three.csv') } }),
      get(`/api/assets?where[sha256][eq]=${digest('number two')}`, { body: { total: 1, ...names('two.md') } }),
      get(`/api/assets?where[sha256][eq]=${digest('number three')}`, { body: { total: 0 } }),
      get('/api/assets?where[mimeType][startsWith]=text/&where[size][gt]=5', { body: { total: 2 } }),
      get('/api/assets?where[path][eq]=notes/two.md', { body: { total: 1 } }),
      refused('/api/assets?where[url][eq]=x', 'where[url]'),
    ],
  },
  {
    name: 'are read by their id, with conditions as entries are',
    config,
    steps: [
      ...THREE,
      get('/api/assets/{one}', { body: { alt: 'The first', size: 3, mimeType: 'text/plain' }, keep: { tag: 'ETag' } }),
      get('/api/assets/{one}', { headers: { 'If-None-Match': '{tag}' }, status: 304 }),
      get('/api/assets/{one}', { headers: { 'If-Match': '"other"' }, status: 412 }),
      get(`/api/assets/${ABSENT}`, { status: 404 }),
      get('/api/assets/one.txt', { status: 404 }),
    ],
  },
  {
    name: 'change only in the fields that their uploader writes',
    config,
    steps: [
      ...THREE,
      put(
        '/api/assets/{one}',
        { alt: 'Changed', size: 99, path: '../x', url: '/elsewhere' },
        {
          headers: { 'If-Match': '{tag1}' },
          body: { alt: 'Changed', size: 3, path: 'one.txt', url: '/uploads/one.txt' },
          responseHeaders: { 'Daybook-Seq': '4' },
        },
      ),
      put('/api/assets/{one}', { alt: 'Again' }, { headers: { 'If-Match': '{tag1}' }, status: 412 }),
      patch('/api/assets/{one}', { focalPoint: { x: 0.25, y: 1 } }, { body: { focalPoint: { x: 0.25, y: 1 } } }),
      put('/api/assets/{one}', { focalPoint: { x: 2, y: 1 } }, faults('/focalPoint/x')),
      put('/api/assets/{one}', { alt: 'a'.repeat(513) }, faults('/alt')),
      put('/api/assets/{one}', { caption: 'x' }, faults('/caption')),
      put('/api/assets/{one}', { alt: null }, { body: { alt: null } }),
      put(`/api/assets/${ABSENT}`, { alt: 'x' }, { status: 404 }),
      {
        method: 'PATCH',
        path: '/api/assets?where[size][gt]=5',
        auth: true,
        json: { alt: 'long' },
        status: 200,
        headers: { 'Content-Type': 'application/merge-patch+json' },
        exactly: { collection: 'assets', matched: 2, changed: 2 },
      },
    ],
  },
  {
    name: 'cannot be created without a file, by any route',
    config,
    steps: [
      batch([{ op: 'create', collection: 'assets', data: { alt: 'x' } }], faults('/operations/0/data')),
      { method: 'POST', path: '/api/assets', auth: true, json: { alt: 'x' }, status: 415 },
      get('/api/assets', { body: { total: 0 } }),
    ],
  },
  {
    name: 'are changed and deleted in a batch',
    config,
    steps: [
      ...THREE,
      batch([
        { op: 'update', collection: 'assets', id: '{one}', ifMatch: '{tag1}', data: { alt: 'by a batch' } },
        { op: 'delete', collection: 'assets', id: '{two}' },
      ]),
      get('/api/assets', { body: { total: 2 } }),
      get('/api/assets/{one}', { body: { alt: 'by a batch' } }),
    ],
  },
  {
    name: 'are included where a field refers to them',
    config,
    steps: [
      ...THREE,
      create('posts', { title: 'P', cover: '{one}', gallery: ['{two}', '{three}'] }, { body: { cover: '{one}' } }),
      get('/api/posts/p', { body: { cover: '{one}', gallery: ['{two}', '{three}'] } }),
      get('/api/posts/p?include=cover,gallery', {
        body: {
          cover: { id: '{one}', alt: 'The first', url: '/uploads/one.txt' },
          gallery: [{ size: 10 }, { size: 33 }],
        },
      }),
      get('/api/posts?include=cover&select=cover.alt', { body: { items: [{ cover: { alt: 'The first' } }] } }),
      get('/api/posts?where[cover.alt][eq]=The%20first', { body: { total: 1 } }),
      get('/api/posts?where[gallery][in]={three}', { body: { total: 1 } }),
      get('/api/assets/{two}/references', {
        auth: true,
        body: { total: 1, items: [{ collection: 'posts', field: 'gallery' }] },
      }),
    ],
  },
  {
    name: 'are rejected by a field that accepts other types',
    config,
    steps: [
      ...THREE,
      create(
        'posts',
        { title: 'P', cover: '{three}' },
        {
          ...faults('/cover'),
          body: {
            details: {
              issues: [{ path: '/cover', code: 'accept', message: expect.stringContaining('at most 20 bytes') }],
            },
          },
        },
      ),
      create('posts', { title: 'P', cover: ABSENT }, faults('/cover')),
      create('posts', { title: 'P', gallery: ['{one}', ABSENT] }, faults('/gallery')),
    ],
  },
  {
    name: 'are removed from references, or cannot be deleted while they are required',
    config,
    steps: [
      ...THREE,
      create('posts', { title: 'P', cover: '{one}', gallery: ['{one}', '{two}'], needed: { file: '{three}' } }),
      remove('/api/assets/{three}', { status: 409, body: { details: { references: [{ collection: 'posts' }] } } }),
      remove('/api/assets/{one}', { responseHeaders: { 'Daybook-Seq': /^\d+$/ } }),
      get('/api/posts/p', { body: { cover: null, gallery: ['{two}'] } }),
      get('/api/assets/{one}', { status: 404 }),
      remove('/api/assets/{one}', { status: 404 }),
      {
        method: 'DELETE',
        path: '/api/assets?where[size][lt]=20',
        auth: true,
        status: 200,
        body: { matched: 1, changed: 1 },
      },
      get('/api/posts/p', { body: { gallery: [] } }),
    ],
  },
  {
    name: 'obey rules of their own',
    config: closed,
    steps: [
      uploadFile('open', { alt: 'open' }, { keep: { open: '/id' } }),
      uploadFile('shut', {}, { keep: { shut: '/id' } }),
      create('posts', { title: 'P', gallery: ['{open}', '{shut}'] }),
      get('/api/assets', { body: { total: 1, items: [{ alt: 'open' }] } }),
      get('/api/assets/{shut}', { status: 404 }),
      get('/api/assets/{shut}', { auth: true, responseHeaders: { 'Cache-Control': 'private, no-store' } }),
      get('/api/posts/p?include=gallery', { body: { gallery: [{ id: '{open}' }] } }),
      remove('/api/assets/{open}', { status: 403 }),
    ],
  },
  {
    name: 'have an alt for each language',
    config: inTwoLanguages,
    steps: [
      uploadFile('text', { alt: 'A dog' }, { keep: { id: '/id' } }),
      put('/api/assets/{id}?locale=de', { alt: 'Ein Hund' }, { body: { alt: 'Ein Hund', size: 4 } }),
      get('/api/assets/{id}', { body: { alt: 'A dog' } }),
      get('/api/assets/{id}?locale=de', { body: { alt: 'Ein Hund', path: expect.any(String) } }),
      uploadFile(
        'anderer',
        { alt: 'Katze' },
        { path: '/api/assets?locale=de', body: { alt: 'Katze' }, keep: { cat: '/id' } },
      ),
      get('/api/assets/{cat}', { body: { alt: null } }),
      get('/api/assets?locale=de&q=hund', { body: { total: 1 } }),
      create('posts', { title: 'P', cover: '{id}' }, { keep: { post: '/id' } }),
      get('/api/posts/{post}?include=cover&locale=de', { body: { cover: { alt: 'Ein Hund' } } }),
    ],
  },
])
