import { access, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigError, type ConfigFault, createService, type DaybookConfig, f } from 'daybook'
import { createTestService } from 'daybook/testing'
import { afterAll, describe, expect, test } from 'vitest'
import { type Case, FIELD, field, fields, posts, title, withParts, wrong } from './config-cases.ts'
import { DOCUMENTS, KEYS, LOCALES } from './document-cases.ts'
import { BROKEN_SCHEMA, COMMON, GUARDED, HIDDEN, LOCALIZED, misspelt, RENAMES, TYPES } from './field-cases.ts'
import { CONDITION_PLACES, CONDITIONS, FORMS, LABELS } from './interface-cases.ts'
import { RELATIONS_TO_SEVERAL, REVERSE_PLACES, REVERSES } from './relation-cases.ts'

/** A data folder that an invalid config must not create. */
const DATA = join(tmpdir(), `daybook-of-no-config-${process.pid}`)

afterAll(() => rm(DATA, { recursive: true, force: true }))

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

const allowHtml = (parts: unknown): object => ({ markdown: { allowHtml: parts } })

const CONFIGS: readonly Case[] = [
  ['no config', undefined, 'config', 'export default defineConfig'],
  ['a list', [], 'config', 'export default defineConfig'],
  ['an empty config', {}, 'collections', 'at least one collection'],
  ['collections that are a list', { collections: [] }, 'collections', 'must be an object of collections'],
  ['an unknown part', withParts({ lokales: {} }), 'lokales', 'is not an option. Did you mean "locales"?'],
  ['globals that are a text', withParts({ globals: 'site' }), 'globals', 'must be an object of globals'],
  ['routes that are an object', withParts({ routes: {} }), 'routes', 'must be a list of routes'],
  [
    'a validator that is no function',
    { collections: { posts: { fields, validate: true } } },
    'collections.posts.validate',
    'must be a function',
  ],
  [
    'a validator of a field that is none',
    field(f.text(wrong({ validate: 'x' }))),
    `${FIELD}.validate`,
    'must be a function',
  ],
  [
    'a hook that there is not',
    { collections: { posts: { fields, hooks: { beforeChang: () => {} } } } },
    'collections.posts.hooks.beforeChang',
    'Did you mean "beforeChange"?',
  ],
  [
    'hooks of a global that are none',
    withParts({ globals: { site: { fields, hooks: {} } } }),
    'globals.site.hooks',
    'must have at least one of: beforeValidate, beforeChange, afterCommit',
  ],
  [
    'a hook that is no function',
    { collections: { posts: { fields, hooks: { afterCommit: true } } } },
    'collections.posts.hooks.afterCommit',
    'must be a function',
  ],
  ['a seed that is no function', withParts({ seed: {} }), 'seed', 'must be a function'],
  ['an empty Cache-Control', withParts({ publicCacheControl: '' }), 'publicCacheControl', 'must be a string'],
  [
    'a Cache-Control with a line end',
    withParts({ publicCacheControl: 'no-store\n' }),
    'publicCacheControl',
    'of ASCII',
  ],
  ['docs that are switched on', withParts({ docs: true }), 'docs', 'Leave it out'],
  ['docs that are a path', withParts({ docs: '/docs' }), 'docs', 'must be an object'],
  ['an unknown option of the docs', withParts({ docs: { url: '/x' } }), 'docs.url', 'one of: path, title, theme, logo'],
  ['docs at a path without its slash', withParts({ docs: { path: 'docs' } }), 'docs.path', 'such as "/docs"'],
  ['docs at a path that ends with one', withParts({ docs: { path: '/docs/' } }), 'docs.path', 'does not end with it'],
  ['docs at the root', withParts({ docs: { path: '/' } }), 'docs.path', 'such as "/docs"'],
  ['docs at a pattern', withParts({ docs: { path: '/:docs' } }), 'docs.path', 'a path of letters'],
  ['docs at dots', withParts({ docs: { path: '/docs/..' } }), 'docs.path', 'a path of letters'],
  [
    'docs where the content is',
    withParts({ docs: { path: '/api' } }),
    'docs.path',
    'must not be "/api", which belongs to the service',
  ],
  ['docs below the content', withParts({ docs: { path: '/api/docs' } }), 'docs.path', 'belongs to the service'],
  ['docs at the description', withParts({ docs: { path: '/openapi.json' } }), 'docs.path', 'belongs to the service'],
  ['docs among the uploads', withParts({ docs: { path: '/uploads' } }), 'docs.path', 'belongs to the service'],
  ['an empty title of the docs', withParts({ docs: { title: '' } }), 'docs.title', 'must be a non-empty string'],
  [
    'a theme that there is not',
    withParts({ docs: { theme: 'moon' } }),
    'docs.theme',
    'must be "system", "light" or "dark"',
  ],
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
    'does not exist',
  ],
  ['limits that are a number', withParts({ limits: 5 }), 'limits', 'must be an object'],
  ['an unknown limit', withParts({ limits: { bytes: 5 } }), 'limits.bytes', 'Use one of: bodyBytes, renderMs'],
  ['a negative limit', withParts({ limits: { bodyBytes: -1 } }), 'limits.bodyBytes', 'whole number, 0 or more'],
  ['half a limit', withParts({ limits: { renderMs: 0.5 } }), 'limits.renderMs', 'whole number, 0 or more'],
  [
    'an unknown option of Markdown',
    withParts({ markdown: { html: true } }),
    'markdown.html',
    'Use one of: allowHtml, mediaHosts',
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
      'must be a list of hosts',
    ],
  ),
  ['HTML that is a yes', withParts(allowHtml(true)), 'markdown.allowHtml', 'must be an object'],
  [
    'elements that are a text',
    withParts(allowHtml({ elements: 'figure' })),
    'markdown.allowHtml.elements',
    'must be a list',
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
      `contains <${name}>, which cannot be made safe`,
    ],
  ),
  [
    'attributes without elements',
    withParts(allowHtml({ attributes: ['class'] })),
    'markdown.allowHtml.attributes',
    'must be an object of lists by element',
  ],
  ...['onclick', 'onpointerrawupdate', 'style', 'srcdoc'].map(
    (name): Case => [
      `${name} in Markdown`,
      withParts(allowHtml({ attributes: { '*': [name] } })),
      'markdown.allowHtml.attributes.*',
      `contains ${name}, which cannot be made safe`,
    ],
  ),
  ...['*', 'on*', 'o*', 'xlink:href', 'CLASS', 5].map(
    (name): Case => [
      `the attribute ${name} in Markdown`,
      withParts(allowHtml({ attributes: { a: [name] } })),
      'markdown.allowHtml.attributes.a',
      'must be a list of attributes',
    ],
  ),
  ['CORS without a list', withParts({ cors: { origins: '*' } }), 'cors.origins', 'must be a list of exact origins'],
  ['CORS for everyone', withParts({ cors: { origins: ['*'] } }), 'cors.origins', 'must be a list of exact origins'],
  [
    'CORS for every subdomain',
    withParts({ cors: { origins: ['https://a.example', 'https://*.a.example'] } }),
    'cors.origins',
    '"https://*.a.example" is a pattern. List each origin by its full name.',
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
    'Write "https://a.example" in place of "https://A.example/"',
  ],
  ['an origin with a path', withParts({ cors: { origins: ['https://a.example/x'] } }), 'cors.origins', 'exact origins'],
  ['CORS without origins', withParts({ cors: {} }), 'cors.origins', 'must be a list of exact origins'],
  [
    'credentials that are a text',
    withParts({ cors: { origins: [], credentials: 'yes' } }),
    'cors.credentials',
    'true or',
  ],
  ['an adapter without getPrincipal', withParts({ auth: { invoke() {} } }), 'auth.getPrincipal', 'must be a function'],
  [
    'an adapter of texts',
    withParts({ auth: { invoke() {}, getPrincipal: 'me' } }),
    'auth.getPrincipal',
    'must be a function',
  ],
  ['a misspelt member', withParts({ auth: { getPrinciple: () => null } }), 'auth.getPrincipal', 'must be a function'],
  ['an adapter that is a name', withParts({ auth: 'intranet' }), 'auth', 'must be an object'],
  [
    'a kind of registration that there is not',
    withParts({ auth: { registration: 'off' } }),
    'auth.registration',
    'must be "open" or "closed"',
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
  ['labels and places', LABELS],
  ['forms', FORMS],
  ['conditions', CONDITIONS],
  ['fields with a condition', CONDITION_PLACES],
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
    for (const { path, message } of error.faults) {
      expect(message).toMatch(/[.?]$/)
      expect(message.startsWith(`${path} `)).toBe(true)
      expect(error.message).toContain(`\n  ${message}`)
    }
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
