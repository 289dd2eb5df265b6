import { access, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigError, type ConfigFault, createService, type DaybookConfig, f } from 'daybook'
import { createTestService } from 'daybook/testing'
import { afterAll, describe, expect, test } from 'vitest'

/** A data folder that an invalid config must not create. */
const DATA = join(tmpdir(), `daybook-of-no-config-${process.pid}`)

afterAll(() => rm(DATA, { recursive: true, force: true }))

/** The error with which a config does not start. */
async function refusalOf(config: unknown): Promise<unknown> {
  try {
    const service = await createService(config as DaybookConfig, { data: DATA })
    await service.close()
    return undefined
  } catch (error) {
    return error
  }
}

/** The faults of a config; none if it starts. */
async function faultsOf(config: unknown): Promise<readonly ConfigFault[]> {
  const refusal = await refusalOf(config)
  if (refusal instanceof ConfigError) return refusal.faults
  if (refusal) throw refusal
  return []
}

const title = f.text()
const fields = { title }

/** A config whose collection `posts` has these fields. */
const posts = (inner: unknown): object => ({ collections: { posts: { fields: inner } } })
/** A config with one field, in the collection `posts`. */
const field = (definition: unknown): object => posts({ field: definition })
/** A valid collection with further parts of the config. */
const withParts = (parts: object): object => ({ collections: { posts: { fields } }, ...parts })

const FIELD = 'collections.posts.fields.field'
/** Passes options that the compiler rejects, too. */
const wrong = (options: unknown): never => options as never

const allowHtml = (parts: unknown): object => ({ markdown: { allowHtml: parts } })

type Case = readonly [what: string, config: unknown, path: string, message: string]

/** A collection of articles that declares these indexes. */
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
  ['an index on one field', indexed([['day']]), 'collections.posts.indexes.0', 'a field alone has an index of its own'],
  [
    'an index on five fields',
    indexed([['name', 'day', 'seo.rank', 'updatedAt', 'isOpen']]),
    'collections.posts.indexes.0',
    'name 2 to 4 fields',
  ],
  ['an index with a field twice', indexed([['day', '-day']]), 'collections.posts.indexes.0', 'names "day" twice'],
  ['an index on no field', indexed([['day', 'nmae']]), 'collections.posts.indexes.0', '"nmae" can be neither'],
  ['an index on a group', indexed([['day', 'seo']]), 'collections.posts.indexes.0', '"seo" can be neither'],
  ['an index on Markdown', indexed([['day', '-body']]), 'collections.posts.indexes.0', '"body" can be neither'],
  ['an index on an unindexed field', indexed([['day', 'secret']]), 'collections.posts.indexes.0', '"secret" can be'],
  [
    'an index with the status',
    indexed([['status', 'day']]),
    'collections.posts.indexes.0',
    'every index holds the status',
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
    'at most 600 characters together; give title, name a maxLength',
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
  ['a global with indexes', global({ indexes: [] }), 'globals.site.indexes', 'no such option'],
]

const CONFIGS: readonly Case[] = [
  ['no config', undefined, 'config', 'export default defineConfig'],
  ['a list', [], 'config', 'export default defineConfig'],
  ['an empty config', {}, 'collections', 'at least one collection'],
  ['collections that are a list', { collections: [] }, 'collections', 'write an object of collections'],
  ['an unknown part', withParts({ lokales: {} }), 'lokales', 'write one of: collections, globals, locales'],
  ['globals that are a text', withParts({ globals: 'site' }), 'globals', 'write an object of globals'],
  ['routes that are an object', withParts({ routes: {} }), 'routes', 'write a list of routes'],
  [
    'a validator that is no function',
    { collections: { posts: { fields, validate: true } } },
    'collections.posts.validate',
    'write a function',
  ],
  [
    'a validator of a field that is none',
    field(f.text(wrong({ validate: 'x' }))),
    `${FIELD}.validate`,
    'write a function',
  ],
  [
    'a hook that there is not',
    { collections: { posts: { fields, hooks: { beforeChang: () => {} } } } },
    'collections.posts.hooks.beforeChang',
    'did you mean beforeChange?',
  ],
  [
    'hooks of a global that are none',
    withParts({ globals: { site: { fields, hooks: {} } } }),
    'globals.site.hooks',
    'write at least one of: beforeValidate, beforeChange, afterCommit',
  ],
  [
    'a hook that is no function',
    { collections: { posts: { fields, hooks: { afterCommit: true } } } },
    'collections.posts.hooks.afterCommit',
    'write a function',
  ],
  ['a seed that is no function', withParts({ seed: {} }), 'seed', 'write a function'],
  ['an empty Cache-Control', withParts({ publicCacheControl: '' }), 'publicCacheControl', 'write a text'],
  [
    'a Cache-Control with a line end',
    withParts({ publicCacheControl: 'no-store\n' }),
    'publicCacheControl',
    'of ASCII',
  ],
  ['docs that are switched on', withParts({ docs: true }), 'docs', 'leave it out'],
  ['docs that are a path', withParts({ docs: '/docs' }), 'docs', 'write an object'],
  ['an unknown option of the docs', withParts({ docs: { url: '/x' } }), 'docs.url', 'one of: path, title, theme, logo'],
  ['docs at a path without its slash', withParts({ docs: { path: 'docs' } }), 'docs.path', "'/docs'"],
  ['docs at a path that ends with one', withParts({ docs: { path: '/docs/' } }), 'docs.path', 'does not end with it'],
  ['docs at the root', withParts({ docs: { path: '/' } }), 'docs.path', "'/docs'"],
  ['docs at a pattern', withParts({ docs: { path: '/:docs' } }), 'docs.path', 'a path of letters'],
  ['docs at dots', withParts({ docs: { path: '/docs/..' } }), 'docs.path', 'a path of letters'],
  ['docs where the content is', withParts({ docs: { path: '/api' } }), 'docs.path', '/api belongs to the service'],
  ['docs below the content', withParts({ docs: { path: '/api/docs' } }), 'docs.path', 'belongs to the service'],
  ['docs at the description', withParts({ docs: { path: '/openapi.json' } }), 'docs.path', 'belongs to the service'],
  ['docs among the uploads', withParts({ docs: { path: '/uploads' } }), 'docs.path', 'belongs to the service'],
  ['an empty title of the docs', withParts({ docs: { title: '' } }), 'docs.title', 'write a text'],
  ['a theme that there is not', withParts({ docs: { theme: 'moon' } }), 'docs.theme', "'system', 'light' or 'dark'"],
  ['a logo that is a text', withParts({ docs: { logo: './logo.svg' } }), 'docs.logo', 'new URL('],
  ['a logo elsewhere', withParts({ docs: { logo: new URL('https://x.example/a.svg') } }), 'docs.logo', 'new URL('],
  [
    'a logo of no image',
    withParts({ docs: { logo: new URL(import.meta.url) } }),
    'docs.logo',
    'ends with one of: .svg',
  ],
  [
    'a logo that is missing',
    withParts({ docs: { logo: new URL('a.svg', import.meta.url) } }),
    'docs.logo',
    'no such file',
  ],
  ['limits that are a number', withParts({ limits: 5 }), 'limits', 'write an object'],
  ['an unknown limit', withParts({ limits: { bytes: 5 } }), 'limits.bytes', 'write one of: bodyBytes, renderMs'],
  ['a negative limit', withParts({ limits: { bodyBytes: -1 } }), 'limits.bodyBytes', 'whole number, 0 or more'],
  ['half a limit', withParts({ limits: { renderMs: 0.5 } }), 'limits.renderMs', 'whole number, 0 or more'],
  [
    'an unknown option of Markdown',
    withParts({ markdown: { html: true } }),
    'markdown.html',
    'write one of: allowHtml, mediaHosts',
  ],
  ...[
    'media.example.org',
    ['https://media.example.org'],
    ['media.example.org/a'],
    ['*.example.org'],
    ['Media.example.org'],
    [5],
  ].map(
    (mediaHosts): Case => [
      `hosts of media as ${JSON.stringify(mediaHosts)}`,
      withParts({ markdown: { mediaHosts } }),
      'markdown.mediaHosts',
      'write a list of hosts',
    ],
  ),
  ['HTML that is a yes', withParts(allowHtml(true)), 'markdown.allowHtml', 'write an object'],
  [
    'elements that are a text',
    withParts(allowHtml({ elements: 'figure' })),
    'markdown.allowHtml.elements',
    'write a list',
  ],
  [
    'an element in capitals',
    withParts(allowHtml({ elements: ['FIGURE'] })),
    'markdown.allowHtml.elements',
    'lower case',
  ],
  ...['script', 'style', 'iframe', 'object', 'embed', 'svg', 'math', 'noscript', 'template', 'base', 'meta'].map(
    (name): Case => [
      `<${name}> in Markdown`,
      withParts(allowHtml({ elements: ['figure', name] })),
      'markdown.allowHtml.elements',
      `<${name}> cannot be made safe`,
    ],
  ),
  [
    'attributes without elements',
    withParts(allowHtml({ attributes: ['class'] })),
    'markdown.allowHtml.attributes',
    'write lists by element',
  ],
  ...['onclick', 'onpointerrawupdate', 'style', 'srcdoc'].map(
    (name): Case => [
      `${name} in Markdown`,
      withParts(allowHtml({ attributes: { '*': [name] } })),
      'markdown.allowHtml.attributes.*',
      `${name} cannot be made safe`,
    ],
  ),
  ...['*', 'on*', 'o*', 'xlink:href', 'CLASS', 5].map(
    (name): Case => [
      `the attribute ${name} in Markdown`,
      withParts(allowHtml({ attributes: { a: [name] } })),
      'markdown.allowHtml.attributes.a',
      'write a list of attributes',
    ],
  ),
  ['CORS without a list', withParts({ cors: { origins: '*' } }), 'cors.origins', 'write exact origins'],
  ['CORS for everyone', withParts({ cors: { origins: ['*'] } }), 'cors.origins', 'write exact origins'],
  [
    'CORS for every subdomain',
    withParts({ cors: { origins: ['https://a.example', 'https://*.a.example'] } }),
    'cors.origins',
    '"https://*.a.example" is a pattern; list each origin by its full name',
  ],
  [
    'CORS for apps',
    withParts({ cors: { origins: ['ftp://a.example'] } }),
    'cors.origins',
    '"ftp://a.example" does not begin with http:// or https://',
  ],
  [
    'an origin in capitals, with a slash at its end',
    withParts({ cors: { origins: ['https://A.example/'] } }),
    'cors.origins',
    'write "https://a.example" in place of "https://A.example/"',
  ],
  ['an origin with a path', withParts({ cors: { origins: ['https://a.example/x'] } }), 'cors.origins', 'exact origins'],
  ['CORS without origins', withParts({ cors: {} }), 'cors.origins', 'write exact origins'],
  [
    'credentials that are a text',
    withParts({ cors: { origins: [], credentials: 'yes' } }),
    'cors.credentials',
    'true or',
  ],
  ['an adapter without getPrincipal', withParts({ auth: { invoke() {} } }), 'auth.getPrincipal', 'write a function'],
  [
    'an adapter of texts',
    withParts({ auth: { invoke() {}, getPrincipal: 'me' } }),
    'auth.getPrincipal',
    'write a function',
  ],
  ['a misspelt member', withParts({ auth: { getPrinciple: () => null } }), 'auth.getPrincipal', 'write a function'],
  ['an adapter that is a name', withParts({ auth: 'intranet' }), 'auth', 'write an object'],
  [
    'a kind of registration that there is not',
    withParts({ auth: { registration: 'off' } }),
    'auth.registration',
    'closed',
  ],
  [
    'writes that are accepted with a text',
    withParts({ auth: { anyoneMayWrite: 'yes' } }),
    'auth.anyoneMayWrite',
    'true or',
  ],
  ['a number of proxies that is none', withParts({ trustProxy: true }), 'trustProxy', 'whole number'],
  [
    'a location that is a text',
    withParts({ assets: { stripLocation: 'no' } }),
    'assets.stripLocation',
    'true or false',
  ],
  ['days before now', withParts({ assets: { keepDeletedDays: -1 } }), 'assets.keepDeletedDays', 'whole number'],
]

const LOCALES: readonly Case[] = [
  ['no default', { available: ['en'] }, 'locales.default', 'write one of: en'],
  ['another default', { default: 'fr', available: ['en', 'de'] }, 'locales.default', 'write one of: en, de'],
  ['none available', { default: 'en', available: [] }, 'locales.available', 'BCP 47'],
  ['available is missing', { default: 'en' }, 'locales.available', 'BCP 47'],
  ['no tag', { default: 'en', available: ['en', 'german language'] }, 'locales.available', 'BCP 47'],
  ['one twice, but for case', { default: 'en', available: ['en', 'pt-br', 'pt-BR'] }, 'locales.available', 'different'],
  ['one that asks for all', { default: 'en', available: ['en', 'all'] }, 'locales.available', 'every locale'],
  ['one twice', { default: 'en', available: ['en', 'en'] }, 'locales.available', 'different'],
  ['a stranger falls back', fallback({ fr: ['en'] }), 'locales.fallback.fr', 'write one of: en, de'],
  ['falls back to a stranger', fallback({ de: ['fr'] }), 'locales.fallback.de', 'other locales'],
  ['falls back to itself', fallback({ de: ['de'] }), 'locales.fallback.de', 'other locales'],
  ['falls back to a text', fallback({ de: 'en' }), 'locales.fallback.de', 'other locales'],
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

const KEYS: readonly Case[] = [
  ['a capital first', { collections: { Posts: { fields } } }, 'collections.Posts', 'starts with a small letter'],
  ['a digit first', { collections: { '1st': { fields } } }, 'collections.1st', 'starts with a small letter'],
  ['a hyphen', { collections: { 'blog-posts': { fields } } }, 'collections.blog-posts', 'letters, digits and _'],
  ['49 characters', { collections: { [LONG_KEY]: { fields } } }, `collections.${LONG_KEY}`, 'at most 48'],
  ['a key of SQLite', { collections: { sqlite_posts: { fields } } }, 'collections.sqlite_posts', 'sqlite_'],
  ['a key of PostgreSQL', { collections: { pg_posts: { fields } } }, 'collections.pg_posts', 'pg_'],
  ['a name of a view', { collections: { posts_view: { fields } } }, 'collections.posts_view', '_view'],
  [
    'two by case',
    { collections: { blogposts: { fields }, blogPosts: { fields } } },
    'collections.blogPosts',
    'by case',
  ],
  [
    'a global with a capital',
    withParts({ globals: { Site: { fields } } }),
    'globals.Site',
    'starts with a small letter',
  ],
  ['globals by case', withParts({ globals: { site: { fields }, siTe: { fields } } }), 'globals.siTe', 'by case alone'],
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
  ['a field with a hyphen', posts({ 'sub-title': title }), 'collections.posts.fields.sub-title', 'small letter'],
  ['a field of 49', posts({ [LONG_KEY]: title }), `collections.posts.fields.${LONG_KEY}`, 'at most 48'],
  ['fields by case', posts({ title, tiTle: title }), 'collections.posts.fields.tiTle', 'differs from "title" by case'],
  ['a nested field with a hyphen', field(f.group({ 'a-b': title })), `${FIELD}.fields.a-b`, 'small letter'],
  ['nested fields by case', field(f.group({ ab: title, aB: title })), `${FIELD}.fields.aB`, 'by case alone'],
  ['a block with a hyphen', field(f.blocks({ 'pull-quote': fields })), `${FIELD}.types.pull-quote`, 'pullQuote'],
  ...['id', 'createdAt', 'updatedAt', 'createdBy', 'updatedBy', 'key'].map(
    (key): Case => [`the field ${key}`, posts({ [key]: title }), `collections.posts.fields.${key}`, 'is taken'],
  ),
  ...['constructor', 'prototype', 'toString', 'valueOf', 'hasOwnProperty'].map(
    (key): Case => [
      `the field ${key}, which no body could name`,
      posts({ title, [key]: title }),
      `collections.posts.fields.${key}`,
      'choose another',
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

const DOCUMENTS: readonly Case[] = [
  ['no fields', { collections: { posts: {} } }, 'collections.posts.fields', 'at least one field'],
  ['empty fields', posts({}), 'collections.posts.fields', 'at least one field'],
  ['a collection that is a field', { collections: { posts: title } }, 'collections.posts.fields', 'at least one field'],
  [
    'a field that is a text',
    posts({ title: 'text' }),
    'collections.posts.fields.title',
    'write a field, such as f.text()',
  ],
  ['a field that is null', posts({ title: null }), 'collections.posts.fields.title', 'write a field'],
  ['a builder that was not called', posts({ title: f.text }), 'collections.posts.fields.title', 'write a field'],
  [
    'a misspelt option',
    option({ acess: {} }),
    'collections.posts.acess',
    'description, requireIfMatch, validate, hooks, people, access, indexes, maxLimit',
  ],
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
    'give the collection a field f.status()',
  ],
  ['a rule that is a flag', option({ access: { read: true } }), 'collections.posts.access.read', 'write a function'],
  ['a maxLimit that is a text', option({ maxLimit: '9' }), 'collections.posts.maxLimit', 'whole number'],
  ...INDEX_FAULTS,
  ['an empty description', option({ description: '' }), 'collections.posts.description', 'write a text'],
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
  ['a global with pages', global({ maxLimit: 5 }), 'globals.site.maxLimit', 'no such option'],
  ['a global with a slug', global({ fields: { slug: f.slug() } }), 'globals.site.fields.slug', 'a global has no slug'],
  ['a global with a status', global({ fields: { state: f.status() } }), 'globals.site.fields.state', 'has no status'],
  ['two slugs', posts({ a: f.slug(), b: f.slug() }), 'collections.posts.fields.b', 'one slug field, and "a" is it'],
  ['two statuses', posts({ a: f.status(), b: f.status() }), 'collections.posts.fields.b', 'one status field'],
  [
    'own HTML',
    posts({ body: f.markdown(), bodyHtml: title }),
    'collections.posts.fields.bodyHtml',
    '"bodyHtml" is taken',
  ],
  ['own HTML first', posts({ bodyHtml: title, body: f.markdown() }), 'collections.posts.fields.body', 'is taken'],
  [
    'own contents',
    posts({ body: f.markdown({ toc: true }), bodyToc: title }),
    'collections.posts.fields.bodyToc',
    'is taken',
  ],
  ['contents without HTML', field(f.markdown({ toc: true, html: false })), `${FIELD}.toc`, 'leave html: false out'],
  ['own HTML in a group', field(f.group({ a: f.markdown(), aHtml: title })), `${FIELD}.fields.aHtml`, 'is taken'],
]

function option(options: object): object {
  return { collections: { posts: { fields, ...options } } }
}

function global(options: object): object {
  return withParts({ globals: { site: { fields, ...options } } })
}

const RENAMES: readonly Case[] = [
  ['from a key that breaks the pattern', { a: f.text({ renamedFrom: 'a-b' }) }, 'a', 'write a key'],
  ['from a field that is still there', { a: f.text({ renamedFrom: 'b' }), b: title }, 'a', '"b" is still a field'],
  ['from itself', { a: f.text({ renamedFrom: 'a' }) }, 'a', '"a" is still a field'],
  ['twice from one', { a: f.text({ renamedFrom: 'c' }), b: f.text({ renamedFrom: 'c' }) }, 'b', '"a" comes from "c"'],
].map(([what, inner, key, message]): Case => {
  return [`renamed ${what}`, posts(inner), `collections.posts.fields.${key}.renamedFrom`, String(message)]
})

const LOCALIZED: readonly Case[] = [
  [
    'a group with a localized field',
    f.group({ a: f.text({ localized: true }) }, { localized: true }),
    'localized',
    'inside of it',
  ],
  ['a list of localized texts', f.list(f.text({ localized: true }), { localized: true }), 'localized', 'inside of it'],
].map(([what, definition, option, message]): Case => {
  const config = { ...field(definition), locales: { default: 'en', available: ['en', 'de'] } }
  return [`localized: ${what}`, config, `${FIELD}.${option}`, String(message)]
})

const HIDDEN = { access: { read: () => false } } as const
const restricted = f.relation('posts', { onDelete: 'restrict' })

/** Options that would reveal a field to callers who may not read it. */
const GUARDED: readonly Case[] = [
  ['a unique text', { a: f.text({ ...HIDDEN, unique: true }) }, 'a.unique', 'a 409 would tell'],
  ['a unique number', { a: f.integer({ ...HIDDEN, unique: true }) }, 'a.unique', 'leave access.read out'],
  ['a slug', { title, a: f.slug({ ...HIDDEN, from: 'title' }) }, 'a.access.read', 'tell which slugs there are'],
  [
    'what a slug is made from',
    { title: f.text(HIDDEN), a: f.slug({ from: 'title' }) },
    'a.from',
    'without access.read',
  ],
  ['a relation', { a: f.relation('posts', { ...HIDDEN, onDelete: 'restrict' }) }, 'a.onDelete', 'write "unset"'],
  ['a required relation', { a: f.relation('posts', { ...HIDDEN, required: true }) }, 'a.onDelete', 'write "unset"'],
  ['a relation in a group', { a: f.group({ b: restricted }, HIDDEN) }, 'a.fields.b.onDelete', 'write "unset"'],
  [
    'a relation in a list',
    { a: f.list(f.group({ b: restricted }), HIDDEN) },
    'a.of.fields.b.onDelete',
    'write "unset"',
  ],
  ['a relation in blocks', { a: f.blocks({ b: { c: restricted } }, HIDDEN) }, 'a.types.b.c.onDelete', 'write "unset"'],
].flatMap(([what, inner, key, message]): Case[] => {
  const inGlobal: Case = [
    `${what} of a global`,
    global({ fields: inner }),
    `globals.site.fields.${key}`,
    String(message),
  ]
  const isForEntries = String(what).includes('slug')
  const sealedCase: Case = [String(what), posts(inner), `collections.posts.fields.${key}`, String(message)]
  return isForEntries ? [sealedCase] : [sealedCase, inGlobal]
})

const COMMON: readonly Case[] = [
  ['required that is a text', f.text({ required: wrong('yes') }), 'required', 'write true or false'],
  ['an empty description', f.text({ description: '' }), 'description', 'write a text'],
  ['localized without locales', f.text({ localized: true }), 'localized', 'name the locales'],
  ['localized that is a text', f.text({ localized: wrong('de') }), 'localized', 'write true or false'],
  ['access that is a function', f.text({ access: wrong(() => true) }), 'access', 'write { read'],
  ['a misspelt rule', f.text({ access: wrong({ reed: () => true }) }), 'access', 'write { read'],
  ['a rule that is a flag', f.text({ access: wrong({ read: false }) }), 'access', 'write { read'],
  ['unique that is a text', f.text({ unique: wrong('yes') }), 'unique', 'write true or false'],
  ['index that is a number', f.integer({ index: wrong(0) }), 'index', 'write true or false'],
].map(([what, definition, key, message]): Case => [String(what), field(definition), `${FIELD}.${key}`, String(message)])

/** Every builder with an unknown option. The message lists the valid ones. */
const MISSPELT: Readonly<Record<keyof typeof f, readonly [field: unknown, takes: string]>> = {
  text: [f.text(wrong({ requird: true })), 'unique, index, default, minLength, maxLength, pattern, collation, search'],
  markdown: [f.markdown(wrong({ requird: true })), 'default, maxLength, html, toc, search'],
  number: [f.number(wrong({ requird: true })), 'unique, index, default, min, max'],
  integer: [f.integer(wrong({ requird: true })), 'unique, index, default, min, max'],
  boolean: [f.boolean(wrong({ requird: true })), 'renamedFrom, fill, index, default'],
  date: [f.date(wrong({ requird: true })), 'unique, index, default'],
  datetime: [f.datetime(wrong({ requird: true })), 'unique, index, default'],
  select: [f.select(wrong({ options: ['a'], requird: true })), 'options, many, default'],
  email: [f.email(wrong({ requird: true })), 'unique, index, default'],
  url: [f.url(wrong({ requird: true })), 'unique, index, default'],
  slug: [f.slug(wrong({ requird: true })), 'renamedFrom, fill, from'],
  status: [f.status(wrong({ requird: true })), 'description, validate, renamedFrom, options, default'],
  json: [f.json(wrong({ requird: true })), 'default, schema'],
  relation: [f.relation('posts', wrong({ requird: true })), 'many, onDelete, index, formerTo'],
  reverse: [f.reverse('posts.author', wrong({ requird: true })), 'description, access, through'],
  asset: [f.asset(wrong({ requird: true })), 'many, onDelete, index, counted, accept, maxBytes'],
  group: [f.group(fields, wrong({ requird: true })), 'required, description, localized, access, validate, renamedFrom'],
  list: [f.list(title, wrong({ requird: true })), 'min, max, default'],
  blocks: [f.blocks({ a: fields }, wrong({ requird: true })), 'min, max'],
}

/** Wrong names of relations in a reverse field of authors, whose posts refer to them in several ways, and to each other. */
const REVERSES: readonly Case[] = [
  [
    'a mistyped relation',
    'posts.autor',
    'posts has no relation "autor"; write f.reverse("posts.author") or f.reverse("posts.meta.editor")',
  ],
  ['a mistyped collection', 'post.author', '"post" is not a collection; write posts'],
  ['a collection of another name', 'articles.author', '"articles" is not a collection; write one of: authors, posts'],
  ['a field that is no relation', 'posts.title', 'posts has no relation "title"; write f.reverse("posts.author")'],
  [
    'a relation that leads elsewhere',
    'posts.next',
    'posts.next leads to posts, not to authors; write f.reverse("posts.author")',
  ],
  [
    'a collection without such a relation',
    'authors.name',
    'authors has no relation "name"; authors has no relation to authors',
  ],
  ['no relation', 'posts', 'name a collection and its relation, as f.reverse("posts.author")'],
  ['nothing', '', 'name a collection and its relation'],
  ['a number', wrong(5), 'name a collection and its relation'],
  [
    'a relation without an index',
    'posts.plain',
    'posts.plain has no index to find entries by; leave index: false out there',
  ],
  ['a relation in a list', 'posts.listed', 'posts has no relation "listed"'],
  ['a relation in blocks', 'posts.parts.by', 'posts has no relation "parts.by"'],
  ['a localized one that holds many', 'posts.local', 'posts.local has no index to find entries by'],
  ['one in a localized group that holds many', 'posts.home.all', 'posts.home.all has no index to find entries by'],
].map(([what, name, message]): Case => {
  const authors = { fields: { name: title, back: f.reverse(name as string) } }
  const to = f.relation('authors')
  const referring = {
    title,
    author: to,
    next: f.relation('posts'),
    plain: f.relation('authors', { index: false }),
    meta: f.group({ editor: to }),
    listed: f.list(to),
    parts: f.blocks({ quote: { by: to } }),
    local: f.relation('authors', { many: true, localized: true }),
    home: f.group({ all: f.relation('authors', { many: true }) }, { localized: true }),
  }
  const locales = { default: 'en', available: ['en', 'de'] }
  const config = { locales, collections: { authors, posts: { fields: referring } } }
  return [`reverse: ${what}`, config, 'collections.authors.fields.back', String(message)]
})

const REVERSE_PLACES: readonly Case[] = [
  [
    'reverse: of a broken group',
    {
      collections: {
        posts: { fields: { meta: f.group(wrong(5)) } },
        authors: { fields: { back: f.reverse('posts.meta.author') } },
      },
    },
    'collections.authors.fields.back',
    'posts has no relation "meta.author"',
  ],
  ['reverse: in a group', field(f.group({ a: f.reverse('posts.field') })), `${FIELD}.fields.a`, 'at the top level'],
  ['reverse: in a list', field(f.list(f.reverse('posts.field'))), `${FIELD}.of`, 'at the top level'],
  [
    'reverse: in a global',
    withParts({ globals: { site: { fields: { a: f.reverse('posts.title') } } } }),
    'globals.site.fields.a',
    'at the top level of a collection',
  ],
  [
    'reverse: a rule for writing',
    field(f.reverse('posts.field', { access: wrong({ write: () => true }) })),
    `${FIELD}.access`,
    'nothing is written',
  ],
  [
    'reverse: required',
    field(f.reverse('posts.field', wrong({ required: true }))),
    `${FIELD}.required`,
    'no such option',
  ],
]

/** Faults of a relation to several collections. */
const RELATIONS_TO_SEVERAL: readonly Case[] = (
  [
    ['no collection', f.relation([]), '', 'name at least one collection'],
    ['a collection twice', f.relation(['posts', 'posts']), '', 'name each collection once'],
    [
      'a mistyped collection',
      f.relation(['posts', 'pagse']),
      '',
      '"pagse" is not a collection; write one of: posts, pages',
    ],
    ['a field "collection" in a target', f.relation(['posts', 'pages']), '', 'pages has a field "collection"'],
    [
      'a former list',
      f.relation(['posts'], { formerTo: ['pages'] }),
      '.formerTo',
      "write the collection that it led to, as 'posts'",
    ],
    [
      'a former collection of one',
      f.relation('posts', { formerTo: 'pages' }),
      '.formerTo',
      'write the list of collections',
    ],
    [
      'a former target that is none',
      f.relation('posts', { formerTo: wrong(5) }),
      '.formerTo',
      'write what the relation led to',
    ],
    [
      'a localized one that moves',
      f.relation(['posts'], { formerTo: 'posts', localized: true }),
      '.formerTo',
      'the values of a localized relation cannot be moved',
    ],
    [
      'a hidden one that restricts',
      f.relation(['posts'], { access: { read: () => true }, onDelete: 'restrict' }),
      '.onDelete',
      'write "unset"',
    ],
  ] as const
).map(([what, a, option, message]): Case => {
  const pages = { fields: { collection: f.text() } }
  const locales = { default: 'en', available: ['en'] }
  const config = { locales, collections: { posts: { fields: { a } }, pages } }
  return [`relation to several: ${what}`, config, `collections.posts.fields.a${option}`, message]
})

const BROKEN_SCHEMA = { type: 'nonsense' }

const TYPES: readonly Case[] = [
  ['text: a negative length', f.text({ minLength: -1 }), 'minLength', 'whole number, 0 or more'],
  ['text: a length that is a text', f.text({ maxLength: wrong('9') }), 'maxLength', 'whole number, 0 or more'],
  ['text: a broken pattern', f.text({ pattern: '(' }), 'pattern', 'regular expression'],
  ['text: an unknown collation', f.text({ collation: 'Swedish!' }), 'collation', 'tag of a language'],
  ['text: a collation without an index', f.text({ collation: 'sv', index: false }), 'collation', 'leave it out'],
  ['text: a pattern that is a RegExp', f.text({ pattern: wrong(/a/) }), 'pattern', 'regular expression'],
  ['text: search that is a text', f.text({ search: wrong('no') }), 'search', 'write true or false'],
  ['text: longer than an index takes', f.text({ maxLength: 513 }), 'maxLength', 'index: false, or use f.markdown()'],
  ['text: unique and too long', f.text({ index: false, unique: true }), 'maxLength', 'at most 512'],
  ['text: no length fits', f.text({ minLength: 9, maxLength: 8 }), 'minLength', 'write at most 8'],
  ['text: a default that is a number', f.text({ default: wrong(5) }), 'default', 'must be string'],
  ['text: a default too long', f.text({ maxLength: 2, default: 'abc' }), 'default', 'at most 2 characters'],
  ['text: a default that breaks the pattern', f.text({ pattern: '^a', default: 'b' }), 'default', 'must match ^a'],
  ['markdown: html that is a text', f.markdown({ html: wrong('no') }), 'html', 'write true or false'],
  ['markdown: unique', f.markdown(wrong({ unique: true })), 'unique', 'no such option'],
  ['markdown: a default too long', f.markdown({ maxLength: 2, default: 'abc' }), 'default', 'at most 2'],
  ['number: a bound that is a text', f.number({ min: wrong('1') }), 'min', 'write a number'],
  ['number: an endless bound', f.number({ max: Number.POSITIVE_INFINITY }), 'max', 'write a number'],
  ['number: no number fits', f.number({ min: 2, max: 1 }), 'min', 'write at most 1'],
  ['number: a default out of bounds', f.number({ max: 1, default: 2 }), 'default', 'at most 1'],
  ['integer: half a bound', f.integer({ min: 0.5 }), 'min', 'write a whole number'],
  ['integer: half a default', f.integer({ default: 0.5 }), 'default', 'must be integer'],
  ['boolean: unique', f.boolean(wrong({ unique: true })), 'unique', 'no such option'],
  ['boolean: a default that is a text', f.boolean({ default: wrong('true') }), 'default', 'must be boolean'],
  ['date: a default that is no day', f.date({ default: '2026-02-30' }), 'default', 'valid date'],
  ['datetime: a default without offset', f.datetime({ default: '2026-01-01T00:00:00' }), 'default', 'valid date-time'],
  ['select: no options', f.select(wrong({})), 'options', 'write the values to choose from'],
  ['select: empty options', f.select({ options: [] }), 'options', 'different texts'],
  ['select: an option twice', f.select({ options: ['a', 'a'] }), 'options', 'different texts'],
  ['select: an empty option', f.select({ options: [''] }), 'options', '1 to 128 characters'],
  ['select: an option too long', f.select({ options: ['a'.repeat(129)] }), 'options', '1 to 128 characters'],
  ['select: an option that is a number', f.select({ options: wrong([1]) }), 'options', 'different texts'],
  ['select: many and unique', f.select({ options: ['a'], many: true, unique: true }), 'unique', 'where many is true'],
  ['select: another default', f.select({ options: ['a'], default: 'b' }), 'default', 'must be one of: a'],
  ['select: one default for many', f.select({ options: ['a'], many: true, default: 'a' }), 'default', 'must be array'],
  ['email: a default that is none', f.email({ default: 'ines' }), 'default', 'valid email'],
  [
    'url: a default that runs',
    f.url({ default: 'javascript:alert(1)' }),
    'default',
    'must begin with http:// or https://',
  ],
  ['slug: from a key that is none', f.slug({ from: 'the title' }), 'from', 'write the key of a text field'],
  ['slug: from a field that is not there', f.slug({ from: 'name' }), 'from', 'write the key of a text field'],
  ['slug: from a name every object has', f.slug({ from: 'constructor' }), 'from', 'write the key of a text field'],
  ['slug: in a group', f.group({ slug: f.slug() }), 'fields.slug', 'among the top-level fields'],
  ['status: in a group', f.group({ state: f.status() }), 'fields.state', 'among the top-level fields'],
  ['status: nothing is public', f.status({ options: ['draft'] }), 'options', 'let "published" be one of them'],
  ['status: options that are a number', f.status({ options: wrong(5) }), 'options', 'different texts'],
  ['status: another default', f.status({ default: 'review' }), 'default', 'must be one of'],
  ['json: a schema that is a text', f.json({ schema: wrong('object') }), 'schema', 'write an object'],
  ['json: a broken schema', f.json({ schema: BROKEN_SCHEMA }), 'schema', 'write a JSON Schema (2020-12)'],
  ['json: a broken pattern in it', f.json({ schema: { pattern: '(' } }), 'schema', 'write a JSON Schema (2020-12)'],
  [
    'json: a reference to nowhere',
    f.json({ schema: { $ref: '#/$defs/x' } }),
    'schema',
    'write a JSON Schema (2020-12)',
  ],
  ['json: a default against it', f.json({ schema: { type: 'object' }, default: 5 }), 'default', 'must be object'],
  ['relation: to nowhere', f.relation('people'), '', '"people" is not a collection; write one of: posts'],
  [
    'relation: another answer',
    f.relation('posts', { onDelete: wrong('cascade') }),
    'onDelete',
    '"unset" or "restrict"',
  ],
  ['relation: many that is a text', f.relation('posts', { many: wrong('yes') }), 'many', 'write true or false'],
  ['group: no fields', f.group({}), 'fields', 'write at least one field'],
  ['group: fields are missing', f.group(wrong(undefined)), 'fields', 'write at least one field'],
  ['group: unique inside', f.group({ a: f.text({ unique: true }) }), 'fields.a.unique', 'only top-level fields'],
  ['group: access inside', f.group({ a: f.text({ access: {} }) }), 'fields.a.access', 'on the top-level field around'],
  [
    'group: a fault two levels down',
    f.group({ a: f.group({ b: f.text({ minLength: -1 }) }) }),
    'fields.a.fields.b.minLength',
    '0 or more',
  ],
  ['group: a default inside', f.group({ a: f.text({ default: wrong(5) }) }), 'fields.a.default', 'must be string'],
  ['list: of a text', f.list(wrong('text')), 'of', 'write a field, such as f.text()'],
  ['list: of nothing', f.list(wrong(undefined)), 'of', 'write a field, such as f.text()'],
  ['list: of Markdown with HTML', f.list(f.markdown()), 'of', 'put it into a group'],
  ['list: unique inside', f.list(f.text({ unique: true })), 'of.unique', 'only top-level fields can be unique'],
  ['list: a negative bound', f.list(title, { min: -1 }), 'min', 'whole number, 0 or more'],
  ['list: a default too long', f.list(title, { max: 1, default: ['a', 'b'] }), 'default', 'at most 1 items'],
  ['list: a default of other items', f.list(title, { default: [5] }), 'default', 'must be string'],
  [
    'list: a default of other groups',
    f.list(f.group({ a: title }), { default: [{ b: 1 }] }),
    'default',
    'no such field',
  ],
  ['list: a broken schema inside', f.list(f.json({ schema: BROKEN_SCHEMA })), 'of.schema', 'write a JSON Schema'],
  ['list: a default inside', f.list(f.group({ a: f.text({ default: wrong(5) }) })), 'of.fields.a.default', 'be string'],
  ['blocks: no kinds', f.blocks({}), '', 'name at least one kind of block'],
  ['blocks: kinds are missing', f.blocks(wrong(undefined)), 'types', 'write an object'],
  ['blocks: a kind without fields', f.blocks({ a: {} }), 'types.a', 'write at least one field'],
  ['blocks: a negative bound', f.blocks({ a: fields }, { max: -1 }), 'max', 'whole number, 0 or more'],
  ['blocks: a relation to nowhere', f.blocks({ a: { b: f.relation('x') } }), 'types.a.b', '"x" is not a collection'],
  [
    'blocks: a broken schema inside',
    f.blocks({ a: { b: f.json({ schema: BROKEN_SCHEMA }) } }),
    'types.a.b.schema',
    'Schema',
  ],
].map(([what, definition, key, message]): Case => {
  return [String(what), field(definition), key === '' ? FIELD : `${FIELD}.${key}`, String(message)]
})

const misspelt = Object.entries(MISSPELT).map(([name, [definition, takes]]): Case => {
  return [`f.${name}()`, field(definition), `${FIELD}.requird`, takes]
})

describe.each([
  ['a config', CONFIGS],
  ['locales', LOCALES],
  ['keys', KEYS],
  ['collections and globals', DOCUMENTS],
  ['renames', RENAMES],
  ['localized fields', LOCALIZED],
  ['fields with a rule for reading', GUARDED],
  ['options of every field', COMMON],
  ['options that no type has', misspelt],
  ['options of one type', TYPES],
  ['reverse fields', [...REVERSES, ...REVERSE_PLACES]],
  ['relations to several collections', RELATIONS_TO_SEVERAL],
] as const)('%s that cannot be served', (_title, cases) => {
  test.each(cases)('%s', async (_what, config, path, message) => {
    const faults = await faultsOf(config)
    expect(faults).toContainEqual({ path, message: expect.stringContaining(message) })
  })
})

test('a field with a rule for reading is accepted if no option reveals it', async () => {
  const config = posts({
    title,
    slug: f.slug({ from: 'title' }),
    a: f.text({ ...HIDDEN, unique: false }),
    b: f.relation('posts', HIDDEN),
    c: f.relation('posts', { ...HIDDEN, required: true, onDelete: 'unset' }),
    d: f.text({ unique: true, access: { write: () => false } }),
    e: f.relation('posts', { required: true, access: { write: () => false } }),
  })
  expect(await faultsOf(config)).toEqual([])
})

describe('an invalid config', () => {
  const config = {
    collections: {
      Posts: { fields: { title: f.text({ minLength: -1 }), author: f.relation('people') }, maxLimit: 'x' },
      health: { fields: { id: title } },
    },
    globals: { site: { fields: {} } },
    locales: { default: 'fr', available: ['en'] },
    colections: {},
  }

  test('is rejected with all its faults at once', async () => {
    const faults = await faultsOf(config)
    expect(faults.map(({ path }) => path).sort()).toEqual([
      'colections',
      'collections.Posts',
      'collections.Posts.fields.author',
      'collections.Posts.fields.title.minLength',
      'collections.Posts.maxLimit',
      'collections.health',
      'collections.health.fields.id',
      'globals.site.fields',
      'locales.default',
    ])
  })

  test('has one message with the path of each fault and advice', async () => {
    const error = (await refusalOf(config)) as ConfigError
    expect(error).toBeInstanceOf(ConfigError)
    expect(error.message).toMatch(/^The config has 9 faults:\n/)
    for (const { path, message } of error.faults) expect(error.message).toContain(`\n  ${path}: ${message}`)
  })

  test('lists an invalid default and a broken schema with the other faults', async () => {
    const faults = await faultsOf(
      posts({ a: f.text({ default: wrong(5) }), b: f.json({ schema: BROKEN_SCHEMA }), c: f.text({ minLength: -1 }) }),
    )
    expect(faults.map(({ path }) => path).sort()).toEqual([
      'collections.posts.fields.a.default',
      'collections.posts.fields.b.schema',
      'collections.posts.fields.c.minLength',
    ])
  })

  test('creates no store', async () => {
    await rm(DATA, { recursive: true, force: true })
    await refusalOf(config)
    await expect(access(DATA)).rejects.toThrow('ENOENT')
  })
})

describe('a valid config', () => {
  const schema = (): object => ({
    $id: 'https://schemas.example.org/point',
    type: 'object',
    properties: { x: { $ref: '#/$defs/number' } },
    $defs: { number: { type: 'number' } },
  })

  const RIGHT: readonly (readonly [what: string, config: unknown])[] = [
    ['one text', posts(fields)],
    ['keys of 48 characters', { collections: { ['c'.repeat(48)]: { fields: { ['f'.repeat(48)]: title } } } }],
    ['words of SQL as keys', { collections: { select: { fields: { order: title, group: f.integer() } } } }],
    ['options that are undefined', posts({ title: f.text({ required: undefined as never }) })],
    ['no seed and no locales', withParts({ seed: undefined, locales: undefined, globals: {} })],
    ['a text as long as an index takes', posts({ title: f.text({ maxLength: 512 }) })],
    ['a long text without an index', posts({ title: f.text({ maxLength: 100_000, index: false }) })],
    ['a status of one value', posts({ state: f.status({ options: ['published'] }) })],
    ['a relation to itself', posts({ parent: f.relation('posts') })],
    ['Markdown in a list without HTML', posts({ notes: f.list(f.markdown({ html: false })) })],
    [
      'localized fields with locales',
      {
        collections: { posts: { fields: { title: f.text({ localized: true }) } } },
        locales: { default: 'en', available: ['en', 'pt-BR', 'zh-hant-tw'], fallback: { 'pt-BR': ['en'] } },
      },
    ],
    ['no docs page', withParts({ docs: false })],
    ['docs with defaults', withParts({ docs: {} })],
    ['docs at a longer path', withParts({ docs: { path: '/v1.0/api-reference', theme: 'light' } })],
    ['exact origins', withParts({ cors: { origins: ['https://app.example.org', 'http://127.0.0.1:8080'] } })],
    ['a name that a field had', posts({ title, headline: f.text({ renamedFrom: 'caption' }) })],
    [
      'defaults of every kind',
      posts({
        a: f.text({ default: 'x' }),
        b: f.number({ default: 0.5 }),
        c: f.select({ options: ['a', 'b'], many: true, default: ['b'] }),
        d: f.datetime({ default: '2026-11-20T10:00:00+01:00' }),
        e: f.list(f.integer(), { default: [1, 2] }),
        g: f.json({ schema: { type: 'object' }, default: {} }),
      }),
    ],
  ]

  test.each(RIGHT)('%s', async (_what, config) => {
    await using service = await createTestService(config as DaybookConfig)
    expect((await service.request('/api/ready')).status).toBe(200)
  })

  test('may be served twice in one process', async () => {
    const make = (): DaybookConfig => posts({ point: f.json({ schema: schema() as never }) }) as DaybookConfig
    await using first = await createTestService(make())
    await using second = await createTestService(make())
    expect((await first.request('/api/ready')).status).toBe(200)
    expect((await second.request('/api/ready')).status).toBe(200)
  })

  test('is compiled into frozen data', async () => {
    await using service = await createTestService(posts(fields) as DaybookConfig)
    expect(Object.isFrozen(service.model)).toBe(true)
    expect(Object.isFrozen(service.model.collections.get('posts'))).toBe(true)
    expect(Object.isFrozen(service.model.collections.get('posts')?.schemas)).toBe(true)
  })
})
