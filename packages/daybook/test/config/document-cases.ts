import { f } from 'daybook'
import { type Case, FIELD, field, fields, global, option, posts, title, withParts } from './config-cases.ts'

const indexed = (indexes: unknown): object => ({
  collections: {
    posts: {
      fields: {
        title: f.text(),
        name: f.text({ maxLength: 200 }),
        status: f.status(),
        day: f.date(),
        body: f.markdown(),
        secret: f.text({ index: false }),
        seo: f.group({ rank: f.integer() }),
        isOpen: f.boolean(),
      },
      indexes,
    },
  },
})

const INDEX_FAULTS: readonly Case[] = [
  ['indexes that are a text', indexed('day'), 'collections.posts.indexes', '[["category", "-publishedOn"]]'],
  ['indexes that are one list', indexed(['name', 'day']), 'collections.posts.indexes', 'a list of lists of fields'],
  [
    'nine indexes',
    indexed([
      ...['name', 'seo.rank', 'updatedAt', 'title'].flatMap((key) => [[key, 'day']]),
      ...['name', 'seo.rank', 'updatedAt', 'title', 'day'].map((key) => [
        key,
        key === 'seo.rank' ? 'name' : 'seo.rank',
      ]),
    ]),
    'collections.posts.indexes',
    'at most 8 indexes',
  ],
  ['an index on one field', indexed([['day']]), 'collections.posts.indexes.0', 'A field alone has an index of its own'],
  [
    'an index on five fields',
    indexed([['name', 'day', 'seo.rank', 'updatedAt', 'isOpen']]),
    'collections.posts.indexes.0',
    'must name 2 to 4 fields',
  ],
  ['an index with a field twice', indexed([['day', '-day']]), 'collections.posts.indexes.0', 'contains "day" twice'],
  [
    'an index on no field',
    indexed([['day', 'nmae']]),
    'collections.posts.indexes.0',
    'contains "nmae", which can be neither',
  ],
  [
    'an index on a group',
    indexed([['day', 'seo']]),
    'collections.posts.indexes.0',
    'contains "seo", which can be neither',
  ],
  [
    'an index on Markdown',
    indexed([['day', '-body']]),
    'collections.posts.indexes.0',
    'contains "body", which can be neither',
  ],
  [
    'an index on an unindexed field',
    indexed([['day', 'secret']]),
    'collections.posts.indexes.0',
    'contains "secret", which',
  ],
  [
    'an index with the status',
    indexed([['status', 'day']]),
    'collections.posts.indexes.0',
    'every index contains the status',
  ],
  ['an index with the id', indexed([['day', 'id']]), 'collections.posts.indexes.0', 'every index ends with it'],
  [
    'an index with the time of creation',
    indexed([['day', '-createdAt']]),
    'collections.posts.indexes.0',
    'every index ends with the order of creation',
  ],
  [
    'an index with long texts',
    indexed([['title', 'name', 'day']]),
    'collections.posts.indexes.0',
    'at most 600 characters together. Give title, name a maxLength',
  ],
  [
    'an index that reads another one backwards',
    indexed([
      ['name', '-day'],
      ['-name', 'day'],
    ]),
    'collections.posts.indexes.1',
    'indexes.0 is the same',
  ],
  ['a global with indexes', global({ indexes: [] }), 'globals.site.indexes', 'is not an option'],
]

export const LOCALES: readonly Case[] = [
  ['no default', { available: ['en'] }, 'locales.default', 'must be one of: en'],
  ['another default', { default: 'fr', available: ['en', 'de'] }, 'locales.default', 'must be one of: en, de'],
  ['none available', { default: 'en', available: [] }, 'locales.available', 'BCP 47'],
  ['available is missing', { default: 'en' }, 'locales.available', 'BCP 47'],
  ['no tag', { default: 'en', available: ['en', 'german language'] }, 'locales.available', 'BCP 47'],
  ['one twice, but for case', { default: 'en', available: ['en', 'pt-br', 'pt-BR'] }, 'locales.available', 'different'],
  ['one that asks for all', { default: 'en', available: ['en', 'all'] }, 'locales.available', 'every locale'],
  ['one twice', { default: 'en', available: ['en', 'en'] }, 'locales.available', 'different'],
  [
    'a stranger falls back',
    fallback({ fr: ['en'] }),
    'locales.fallback.fr',
    'is not an available locale. Use one of: en, de',
  ],
  ['falls back to a stranger', fallback({ de: ['fr'] }), 'locales.fallback.de', 'other available locales'],
  ['falls back to itself', fallback({ de: ['de'] }), 'locales.fallback.de', 'other available locales'],
  ['falls back to a text', fallback({ de: 'en' }), 'locales.fallback.de', 'other available locales'],
  [
    'an unknown option',
    { default: 'en', available: ['en'], main: 'en' },
    'locales.main',
    'default, available, fallback',
  ],
].map(([what, locales, path, message]) => [what, withParts({ locales }), path, message] as Case)

function fallback(chains: object): object {
  return { default: 'en', available: ['en', 'de'], fallback: chains }
}

const LONG_KEY = 'k'.repeat(49)

export const KEYS: readonly Case[] = [
  ['a capital first', { collections: { Posts: { fields } } }, 'collections.Posts', 'begin with a lower-case letter'],
  ['a digit first', { collections: { '1st': { fields } } }, 'collections.1st', 'begin with a lower-case letter'],
  ['a hyphen', { collections: { 'blog-posts': { fields } } }, 'collections.blog-posts', 'letters, digits and _'],
  ['49 characters', { collections: { [LONG_KEY]: { fields } } }, `collections.${LONG_KEY}`, 'at most 48'],
  ['a key of SQLite', { collections: { sqlite_posts: { fields } } }, 'collections.sqlite_posts', 'sqlite_'],
  ['a key of PostgreSQL', { collections: { pg_posts: { fields } } }, 'collections.pg_posts', 'pg_'],
  ['a name of a view', { collections: { posts_view: { fields } } }, 'collections.posts_view', '_view'],
  [
    'two by case',
    { collections: { blogposts: { fields }, blogPosts: { fields } } },
    'collections.blogPosts',
    'only in case',
  ],
  [
    'a global with a capital',
    withParts({ globals: { Site: { fields } } }),
    'globals.Site',
    'begin with a lower-case letter',
  ],
  ['globals by case', withParts({ globals: { site: { fields }, siTe: { fields } } }), 'globals.siTe', 'only in case'],
  [
    'people who are nobody',
    { collections: { posts: { fields, people: { read: false } } } },
    'collections.posts.people.read',
    'true or a function',
  ],
  [
    'people by another word',
    { collections: { posts: { fields, people: { write: true } } } },
    'collections.posts.people.write',
    'read',
  ],
  ['a field with a hyphen', posts({ 'sub-title': title }), 'collections.posts.fields.sub-title', 'lower-case letter'],
  ['a field of 49', posts({ [LONG_KEY]: title }), `collections.posts.fields.${LONG_KEY}`, 'at most 48'],
  [
    'fields by case',
    posts({ title, tiTle: title }),
    'collections.posts.fields.tiTle',
    'differs from "title" only in case',
  ],
  ['a nested field with a hyphen', field(f.group({ 'a-b': title })), `${FIELD}.fields.a-b`, 'lower-case letter'],
  ['nested fields by case', field(f.group({ ab: title, aB: title })), `${FIELD}.fields.aB`, 'only in case'],
  ['a block with a hyphen', field(f.blocks({ 'pull-quote': fields })), `${FIELD}.types.pull-quote`, 'pullQuote'],
  ...['id', 'createdAt', 'updatedAt', 'createdBy', 'updatedBy', 'key'].map(
    (key): Case => [`the field ${key}`, posts({ [key]: title }), `collections.posts.fields.${key}`, 'is already used'],
  ),
  ...['constructor', 'prototype', 'toString', 'valueOf', 'hasOwnProperty'].map(
    (key): Case => [
      `the field ${key}, which no body could name`,
      posts({ title, [key]: title }),
      `collections.posts.fields.${key}`,
      'Choose another',
    ],
  ),
  ...'globals assets health ready export cms auth'
    .split(' ')
    .map(
      (key): Case => [
        `the segment ${key}`,
        { collections: { [key]: { fields } } },
        `collections.${key}`,
        'belongs to the service',
      ],
    ),
]

export const DOCUMENTS: readonly Case[] = [
  ['no fields', { collections: { posts: {} } }, 'collections.posts.fields', 'at least one field'],
  ['empty fields', posts({}), 'collections.posts.fields', 'at least one field'],
  ['a collection that is a field', { collections: { posts: title } }, 'collections.posts.fields', 'at least one field'],
  [
    'a field that is a text',
    posts({ title: 'text' }),
    'collections.posts.fields.title',
    'must be a field, such as f.text()',
  ],
  ['a field that is null', posts({ title: null }), 'collections.posts.fields.title', 'must be a field'],
  ['a builder that was not called', posts({ title: f.text }), 'collections.posts.fields.title', 'must be a field'],
  ['a misspelt option', option({ acess: {} }), 'collections.posts.acess', 'is not an option. Did you mean "access"?'],
  [
    'a misspelt action',
    option({ access: { write: () => true } }),
    'collections.posts.access.write',
    'read, draft, create',
  ],
  [
    'a rule about drafts without a status',
    option({ access: { draft: () => true } }),
    'collections.posts.access.draft',
    'needs a field f.status() in the collection',
  ],
  ['a rule that is a flag', option({ access: { read: true } }), 'collections.posts.access.read', 'must be a function'],
  ['a maxLimit that is a text', option({ maxLimit: '9' }), 'collections.posts.maxLimit', 'whole number'],
  ...INDEX_FAULTS,
  ['an empty description', option({ description: '' }), 'collections.posts.description', 'must be a non-empty string'],
  [
    'a condition that is a text',
    option({ requireIfMatch: 'yes' }),
    'collections.posts.requireIfMatch',
    'true or false',
  ],
  [
    'a global that is created',
    global({ access: { create: () => true } }),
    'globals.site.access.create',
    'read, update',
  ],
  ['a global with pages', global({ maxLimit: 5 }), 'globals.site.maxLimit', 'is not an option'],
  ['a global with a slug', global({ fields: { slug: f.slug() } }), 'globals.site.fields.slug', 'a global has no slug'],
  ['a global with a status', global({ fields: { state: f.status() } }), 'globals.site.fields.state', 'has no status'],
  ['two slugs', posts({ a: f.slug(), b: f.slug() }), 'collections.posts.fields.b', 'one slug field, and "a" is it'],
  ['two statuses', posts({ a: f.status(), b: f.status() }), 'collections.posts.fields.b', 'one status field'],
  [
    'own HTML',
    posts({ body: f.markdown(), bodyHtml: title }),
    'collections.posts.fields.bodyHtml',
    'the key "bodyHtml" is already used',
  ],
  [
    'own HTML first',
    posts({ bodyHtml: title, body: f.markdown() }),
    'collections.posts.fields.body',
    'is already used',
  ],
  [
    'own contents',
    posts({ body: f.markdown({ toc: true }), bodyToc: title }),
    'collections.posts.fields.bodyToc',
    'is already used',
  ],
  [
    'contents without HTML',
    field(f.markdown({ toc: true, html: false })),
    `${FIELD}.toc`,
    'is not allowed with html: false',
  ],
  [
    'own HTML in a group',
    field(f.group({ a: f.markdown(), aHtml: title })),
    `${FIELD}.fields.aHtml`,
    'is already used',
  ],
]
