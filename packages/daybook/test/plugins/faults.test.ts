import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  ConfigError,
  type ConfigFault,
  createService,
  type DaybookConfig,
  defineCollection,
  definePlugin,
  f,
} from 'daybook'
import { describe, expect, test } from 'vitest'

/** A data folder, which no service with an invalid config creates. */
const DATA = join(tmpdir(), `daybook-of-no-plugins-${process.pid}`)

const fields = { title: f.text(), slug: f.slug() }
const collections = { posts: defineCollection({ fields }) }

/** Starts a service with plugins. Returns the faults of the config; none if the service starts. */
async function findFaults(plugins: unknown, more: object = {}): Promise<readonly ConfigFault[]> {
  try {
    const service = await createService({ collections, ...more, plugins } as DaybookConfig, { data: DATA })
    await service.close()
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.faults
    throw error
  }
}

/** Creates a plugin without type checks. */
const plugin = (parts: object): object => ({ name: 'mine', version: '1.0.0', ...parts })
const other = (parts: object = {}): object => ({ name: 'other', version: '2.1.0', ...parts })

type Case = readonly [what: string, plugins: unknown, path: string, message: string]

const SHAPES: readonly Case[] = [
  ['plugins that are an object', {}, 'plugins', 'must be a list of plugins'],
  ['a plugin that is not called', [() => plugin({})], 'plugins.0', 'Call it'],
  ['no name', [{ version: '1.0.0' }], 'plugins.0.name', 'must be a name of at most 48'],
  ['a name with capitals', [plugin({ name: 'Mine' })], 'plugins.0.name', 'must be a name'],
  ['a name that is too long', [plugin({ name: 'a'.repeat(49) })], 'plugins.0.name', 'at most 48'],
  ['no version', [{ name: 'mine' }], 'plugins.mine.version', 'such as "1.0.0"'],
  ['a version that is none', [plugin({ version: '1' })], 'plugins.mine.version', 'such as "1.0.0"'],
  ['an unknown key', [plugin({ rotues: [] })], 'plugins.mine.rotues', 'Did you mean "routes"?'],
  ['a part that changes configs', [plugin({ config: () => ({}) })], 'plugins.mine.config', 'is not an option.'],
  ['a range that is none', [plugin({ requires: { other: 'new' } })], 'plugins.mine.requires.other', 'must be a range'],
  [
    'options with a function',
    [plugin({ options: { on: () => {} } })],
    'plugins.mine.options',
    'Functions belong into setup',
  ],
  ['options of a class', [plugin({ options: { at: new Date() } })], 'plugins.mine.options', 'must be plain data'],
  ['studio with a function', [plugin({ studio: { render: () => {} } })], 'plugins.mine.studio', 'must be plain data'],
  ['a setup that is no function', [plugin({ setup: {} })], 'plugins.mine.setup', 'must be a function'],
  [
    'an unknown kind of hook',
    [plugin({ hooks: { posts: {} } })],
    'plugins.mine.hooks.posts',
    'Use one of: collections',
  ],
  [
    'an unknown hook',
    [plugin({ hooks: { collections: { posts: { beforeSave: () => {} } } } })],
    'plugins.mine.hooks.collections.posts.beforeSave',
    'Use one of: beforeValidate',
  ],
  [
    'no hook',
    [plugin({ hooks: { collections: { posts: {} } } })],
    'plugins.mine.hooks.collections.posts',
    'at least one of',
  ],
  [
    'two plugins with one name',
    [plugin({}), plugin({})],
    'plugins.mine',
    'is already used as the name of another plugin',
  ],
]

const TOGETHER: readonly Case[] = [
  [
    'a plugin that is missing',
    [plugin({ requires: { other: '*' } })],
    'plugins.mine.requires.other',
    'Add it to plugins',
  ],
  [
    'a version that does not fit',
    [plugin({ requires: { other: '^1.0.0' } }), other()],
    'plugins.mine.requires.other',
    'is ^1.0.0, but other has the version 2.1.0',
  ],
  [
    'an older Daybook',
    [plugin({ requires: { daybook: '>=99' } })],
    'plugins.mine.requires.daybook',
    'is >=99, but daybook has the version',
  ],
  [
    'plugins that wait for each other',
    [plugin({ requires: { other: '*' } }), other({ after: ['mine'] })],
    'plugins.mine',
    'mine -> other -> mine',
  ],
  [
    'a collection of the config',
    [plugin({ collections: { posts: { fields } } })],
    'plugins.mine.collections.posts',
    'is already a collection of the config',
  ],
  [
    'a collection of another plugin',
    [plugin({ collections: { links: { fields } } }), other({ collections: { links: { fields } } })],
    'plugins.other.collections.links',
    'is already a collection of the plugin "mine"',
  ],
  [
    'a field of the config',
    [plugin({ fields: { posts: { title: f.text() } } })],
    'plugins.mine.fields.posts.title',
    'is already a field of posts in the config',
  ],
  [
    'a field of another plugin',
    [plugin({ fields: { posts: { seo: f.text() } } }), other({ fields: { posts: { seo: f.text() } } })],
    'plugins.other.fields.posts.seo',
    'is already a field of posts in the plugin "mine"',
  ],
  [
    'fields of an unknown collection',
    [plugin({ fields: { pages: fields } })],
    'plugins.mine.fields.pages',
    'Use one of: posts',
  ],
  [
    'a hook that can never run',
    [plugin({ hooks: { collections: { pages: { beforeChange: () => {} } } } })],
    'plugins.mine.hooks.collections.pages',
    'has no collection "pages". Use * or one of: posts',
  ],
  [
    'a hook of all globals where there are none',
    [plugin({ hooks: { globals: { '*': { beforeChange: () => {} } } } })],
    'plugins.mine.hooks.globals.*',
    'Remove the hook',
  ],
  [
    'a reserved key',
    [plugin({ collections: { health: { fields } } })],
    'plugins.mine.collections.health',
    '/api/health belongs to the service',
  ],
  [
    'a wrong option of a collection',
    [plugin({ collections: { links: { fields, maxLimit: -1 } } })],
    'plugins.mine.collections.links.maxLimit',
    'must be a whole number',
  ],
  [
    'a relation to nothing',
    [plugin({ fields: { posts: { page: f.relation('pages') } } })],
    'plugins.mine.fields.posts.page',
    'refers to "pages", which is not a collection',
  ],
  [
    'a default that its field refuses',
    [plugin({ collections: { links: { fields: { size: f.number({ max: 1, default: 2 }) } } } })],
    'plugins.mine.collections.links.fields.size.default',
    'must be at most 1',
  ],
]

const run = () => new Response('ok')
const route = (parts: object): object => ({
  method: 'GET',
  path: '/hello',
  summary: 'Greets.',
  protection: 'public',
  responses: { 200: { description: 'A greeting.' } },
  run,
  ...parts,
})
const withRoute = (parts: object): readonly object[] => [plugin({ routes: [route(parts)] })]
const AT = 'plugins.mine.routes.0'

const ROUTES: readonly Case[] = [
  ['routes that are no list', [plugin({ routes: {} })], 'plugins.mine.routes', 'must be a list of routes'],
  ['an unknown method', withRoute({ method: 'TRACE' }), `${AT}.method`, 'must be one of: GET'],
  ['a path without a slash', withRoute({ path: 'hello' }), `${AT}.path`, 'begins with /'],
  ['a path with a doubled slash', withRoute({ path: '/hello//you' }), `${AT}.path`, 'must not contain doubled slashes'],
  ['an open path with a slash at the end', withRoute({ path: '/:name/' }), `${AT}.path`, 'must not end with a slash'],
  [
    'a path with a query',
    withRoute({ path: '/hello?a' }),
    `${AT}.path`,
    'contains "hello?a", which is not allowed in a path',
  ],
  ['a path with an escape', withRoute({ path: '/a%2Fb' }), `${AT}.path`, 'which is not allowed in a path'],
  ['a path with dots', withRoute({ path: '/a/../b' }), `${AT}.path`, 'contains "..", which is not allowed in a path'],
  ['a star in the middle', withRoute({ path: '/*/a' }), `${AT}.path`, 'must contain * only at the end'],
  ['two placeholders with one name', withRoute({ path: '/:a/:a' }), `${AT}.path`, 'a name of its own'],
  ['no protection', withRoute({ protection: undefined }), `${AT}.protection`, 'must be "public" or "session"'],
  ['no run', withRoute({ run: undefined }), `${AT}.run`, 'must be a function'],
  ['no responses', withRoute({ responses: {} }), `${AT}.responses`, 'at least one response'],
  [
    'a response without a description',
    withRoute({ responses: { 200: {} } }),
    `${AT}.responses.200.description`,
    'in a sentence',
  ],
  [
    'a status that is none',
    withRoute({ responses: { 99: { description: 'No.' } } }),
    `${AT}.responses.99`,
    'from 200 to 599',
  ],
  [
    'a schema that Ajv refuses',
    withRoute({ responses: { 200: { description: 'It.', schema: { type: 'strin' } } } }),
    `${AT}.responses.200.schema`,
    'must be a JSON Schema',
  ],
  ['a body of a GET', withRoute({ body: { schema: {} } }), `${AT}.body`, 'a GET request has no body'],
  [
    'a schema of a body that refers to nothing',
    withRoute({ method: 'POST', body: { schema: { $ref: '#/$defs/none' } } }),
    `${AT}.body.schema`,
    'must be a JSON Schema',
  ],
  [
    'parameters beside any query',
    withRoute({ parameters: {}, anyQuery: true }),
    `${AT}.parameters`,
    'is not allowed with anyQuery',
  ],
  [
    'a parameter of an object',
    withRoute({ parameters: { a: { description: 'It.', schema: { type: 'object' } } } }),
    `${AT}.parameters.a.schema.type`,
    'must be one of: string',
  ],
  [
    'a place that the path has not',
    withRoute({ pathParameters: { a: { description: 'It.', schema: {} } } }),
    `${AT}.pathParameters.a`,
    'does not belong to the path, which has no :a',
  ],
  ['an unknown key', withRoute({ protecton: 'public' }), `${AT}.protecton`, 'Did you mean "protection"?'],
  [
    'a path of Daybook',
    withRoute({ path: '/api/health' }),
    `${AT}.path`,
    'is "/api/health", which is already used by GET /api/health of Daybook',
  ],
  [
    'another method at an address of Daybook',
    withRoute({ method: 'POST', path: '/api/ready' }),
    `${AT}.path`,
    'GET /api/ready of Daybook',
  ],
  ['what an entry may be addressed by', withRoute({ path: '/api/posts/special' }), `${AT}.path`, '/api/posts/:'],
  [
    'a path that a placeholder matches',
    withRoute({ path: '/api/posts/:other' }),
    `${AT}.path`,
    'of Daybook. Choose a path',
  ],
  ['an address below the auth provider', withRoute({ path: '/api/auth/mine' }), `${AT}.path`, '/api/auth/* of Daybook'],
  [
    'an operationId of Daybook',
    withRoute({ operationId: 'listPosts' }),
    `${AT}.operationId`,
    'is "listPosts", which is already used by GET /api/posts of Daybook',
  ],
  [
    'an address of another plugin',
    [plugin({ routes: [route({ path: '/a/:b' })] }), other({ routes: [route({ path: '/a/:c' })] })],
    'plugins.other.routes.0.path',
    'is "/a/:c", which is already used by GET /a/:b of the plugin "mine" (plugins.mine.routes.0)',
  ],
  [
    'an operationId of another plugin',
    [plugin({ routes: [route({ operationId: 'go' })] }), other({ routes: [route({ path: '/x', operationId: 'go' })] })],
    'plugins.other.routes.0.operationId',
    'is "go", which is already used by GET /hello of the plugin "mine"',
  ],
  [
    'a wrong route of a setup',
    [plugin({ setup: (context: { route(route: object): void }) => context.route(route({ path: 'x' })) })],
    'plugins.mine.setup.routes.0.path',
    'begins with /',
  ],
  [
    'a route of a setup that clashes',
    [plugin({ setup: (context: { route(route: object): void }) => context.route(route({ path: '/api/health' })) })],
    'plugins.mine.setup.routes.0.path',
    'of Daybook. Choose a path',
  ],
]

describe.each([
  ['made wrongly', SHAPES],
  ['that does not fit', TOGETHER],
  ['with a wrong route', ROUTES],
] as const)('a plugin %s prevents the start:', (_kind, cases) => {
  test.each(cases)('%s', async (_case, plugins, path, message) => {
    const faults = await findFaults(plugins)
    expect(faults.map((fault) => fault.path)).toEqual([path])
    expect(faults[0]?.message).toContain(message)
  })
})

test('all faults are reported at once', async () => {
  const faults = await findFaults(
    [plugin({ requires: { absent: '*' }, collections: { posts: { fields } } }), other({ fields: { pages: fields } })],
    { cors: { origins: ['*'] } },
  )
  expect(faults.map(({ path }) => path)).toEqual([
    'plugins.mine.requires.absent',
    'plugins.mine.collections.posts',
    'plugins.other.fields.pages',
    'cors.origins',
  ])
})

test('the config and the contributions of plugins are frozen before anything runs', async () => {
  const frozen = definePlugin({
    name: 'mine',
    version: '1.0.0',
    options: { list: ['a'] },
    collections: { links: defineCollection({ fields: { ...fields } }) },
    setup: ({ options }) => {
      expect(() => (options.list as unknown as string[]).push('b')).toThrow(TypeError)
      expect(() => Object.assign(frozen.collections?.links.fields ?? {}, { more: f.text() })).toThrow(TypeError)
      expect(() => Object.assign(collections.posts, { maxLimit: 1 })).toThrow(TypeError)
    },
  })
  expect(await findFaults([frozen])).toEqual([])
})
