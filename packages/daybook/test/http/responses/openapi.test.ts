import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { defineCollection, defineConfig, defineGlobal, f } from 'daybook'
import { createTestService } from 'daybook/testing'
import { describe, expect, test } from 'vitest'
import blog from '../../../../../examples/blog/daybook.config.ts'
import { kitchen } from '../../support/configs/configs.ts'
import { CONFIGS, type Document, type Operation, operationsOf, parametersOf, readDocument } from './openapi-document.ts'

describe.each(CONFIGS)('the document of %s', (_name, config) => {
  test.each([false, true])('passes two validators, with a session: %s', async (isSession) => {
    const document = await readDocument(config, isSession)
    expect(await new Validator().validate({ ...structuredClone(document) })).toEqual({ valid: true })
    const problems = await lintFromString({
      source: JSON.stringify(document),
      absoluteRef: 'openapi.json',
      config: await createConfig({ extends: ['recommended'] }),
    })
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([])
  })

  test('names each operation once, refers to components only, and has valid examples', async () => {
    const document = await readDocument(config, true)
    const ids = operationsOf(document).map(({ operationId }) => operationId)
    expect(new Set(ids).size).toBe(ids.length)
    // Client generators do not follow pointers into a component.
    const refs = new Set(JSON.stringify(document).match(/#\/components\/[^"]*/g))
    const named = Object.entries(document.components).flatMap(([kind, all]) =>
      Object.keys(all as object).map((name) => `#/components/${kind}/${name}`),
    )
    expect([...refs].filter((ref) => !named.includes(ref))).toEqual([])
    const ajv = new Ajv2020({ strict: false, validateSchema: false })
    ;(addFormats as unknown as (to: Ajv2020) => void)(ajv)
    ajv.addSchema(document, 'document')
    const faults = (pointer: string, example: unknown): unknown => {
      const validate = ajv.compile({ $ref: `document#/components/${pointer}` })
      return validate(example) ? [] : validate.errors
    }
    const { schemas, parameters } = document.components
    // A docs page would send the example of an optional parameter.
    expect(Object.values(parameters).filter(({ example, required }) => example !== undefined && !required)).toEqual([])
    for (const [name, { example }] of Object.entries(parameters)) {
      if (example !== undefined) expect(faults(`parameters/${name}/schema`, example), name).toEqual([])
    }
    for (const [name, { examples = [] }] of Object.entries(schemas)) {
      for (const example of examples) expect(faults(`schemas/${name}`, example), name).toEqual([])
    }
  })
})

describe.each([
  ['blog', blog],
  ['kitchen', kitchen],
])('the examples of %s', (_name, config) => {
  const collections = Object.keys(config.collections)

  test.each(collections)(
    '%s: the example of a create is accepted, and its response equals the example',
    async (key) => {
      await using service = await createTestService(config)
      const headers = { Authorization: `Bearer ${service.token}`, 'Content-Type': 'application/json' }
      const document = (await (await service.request('/openapi.json', { headers })).json()) as Document
      const name = `${key.charAt(0).toUpperCase()}${key.slice(1)}Entry`
      const { [`${name}Create`]: create, [name]: read, [`${name}Update`]: update } = document.components.schemas
      const send = (path: string, method: string, body: unknown): Promise<Response> =>
        service.request(path, { method, headers: { ...headers, 'If-Match': '*' }, body: JSON.stringify(body) })
      const [example] = create?.examples ?? []
      const created = await send(`/api/${key}`, 'POST', example)
      const entry = (await created.json()) as Record<string, unknown>
      expect(created.status, JSON.stringify(entry)).toBe(201)
      const { id, createdAt, updatedAt, createdBy, updatedBy } = entry
      const isClosed = key === 'dossiers' ? { frozen: null } : {}
      expect(entry).toEqual({
        ...(read?.examples?.[0] as object),
        ...isClosed,
        id,
        createdAt,
        updatedAt,
        createdBy,
        updatedBy,
      })
      const changed = await send(`/api/${key}/${id}`, 'PUT', update?.examples?.[0])
      expect(changed.status).toBe(config === kitchen && key === 'archive' ? 403 : 200)
    },
  )
})

describe('the document', () => {
  test('has a path for each collection and global, with separate schemas', async () => {
    const { paths, components } = await readDocument(blog)
    const ids = ['/api/posts', '/api/posts/{id}', '/api/globals/site'].map((path) =>
      Object.values(paths[path] ?? {}).map(({ operationId }) => operationId),
    )
    expect(ids).toEqual([
      ['listPosts', 'createPostsEntry', 'patchPostsMany', 'deletePostsMany'],
      ['getPostsEntry', 'updatePostsEntry', 'patchPostsEntry', 'deletePostsEntry'],
      ['getSiteGlobal', 'putSiteGlobal'],
    ])
    const { PostsEntrySelection, PostsEntryUpdate, PostsEntryCreate } = components.schemas
    expect(PostsEntrySelection?.properties.author?.anyOf).toEqual([
      { type: 'string', format: 'uuid' },
      { $ref: '#/components/schemas/AuthorsEntry' },
      { $ref: '#/components/schemas/AuthorsEntrySelection' },
      { type: 'null' },
    ])
    expect(PostsEntryUpdate?.properties.title).toEqual({ type: 'string', maxLength: 200, pattern: '\\S' })
    expect(PostsEntryCreate).toMatchObject({ required: ['title'], examples: [{ title: 'Title' }] })
  })

  test('describes the operations of each collection as they are there', async () => {
    const config = defineConfig({
      collections: {
        articles: defineCollection({ fields: { title: f.text(), status: f.status() } }),
        notes: defineCollection({ fields: { title: f.text() } }),
      },
    })
    const { paths } = await readDocument(config)
    const summaries = ['articles', 'notes'].map((key) => paths[`/api/${key}/{id}/restore`]?.post?.summary)
    expect(summaries).toEqual([
      expect.stringMatching(/^Makes the content of an earlier version the draft/),
      expect.stringMatching(/^Restores the content of an earlier version as a new one/),
    ])
  })

  test('names the fields for sort, select, include and where of a list', async () => {
    const document = await readDocument(blog)
    const { sort, select, include, status, limit, where, locale } = parametersOf(
      document,
      document.paths['/api/posts']?.get as Operation,
    )
    expect(sort).toMatchObject({
      style: 'form',
      explode: false,
      schema: { minItems: 1, maxItems: 5, uniqueItems: true },
    })
    expect(sort?.schema.items.enum).toEqual(expect.arrayContaining(['title', '-title', '-createdAt', 'publishedOn']))
    expect(sort?.schema.items.enum).not.toContain('body')
    expect(select?.schema.items.anyOf).toEqual([
      { type: 'string', enum: expect.arrayContaining(['id', 'title', 'bodyHtml', 'updatedAt']) },
      { type: 'string', pattern: '^(?:author|tags)\\.' },
    ])
    expect(include?.schema.items.anyOf).toMatchObject([{ enum: ['author', 'tags'] }, {}])
    expect(status?.schema.items.enum).toEqual(['draft', 'published', 'archived'])
    expect(locale?.schema.enum).toContain('pt-br')
    expect(limit).toMatchObject({ description: expect.stringContaining('at most 100'), schema: { default: 20 } })
    expect(where).toMatchObject({ style: 'deepObject', schema: { $ref: '#/components/schemas/PostsWhere' } })
    const { schemas } = document.components
    expect(schemas.PostsWhere).toMatchObject({
      additionalProperties: false,
      properties: {
        title: { $ref: '#/components/schemas/TextFilter' },
        author: { $ref: '#/components/schemas/ReferenceFilter' },
        tags: { $ref: '#/components/schemas/ReferencesFilter' },
        'author.name': { $ref: '#/components/schemas/TextFilter' },
        publishedOn: { $ref: '#/components/schemas/DateFilter' },
        not: { allOf: [{ $ref: '#/components/schemas/PostsWhere' }] },
      },
    })
    expect(Object.keys(schemas.ReferenceFilter?.properties ?? {})).toEqual(['eq', 'ne', 'in', 'nin', 'exists'])
    expect(schemas.PostsList?.properties.limit?.maximum).toBe(100)
    // A collection without relations has no `include`.
    expect(Object.keys(parametersOf(document, document.paths['/api/tags']?.get as Operation))).not.toContain('include')
  })

  test('types localized values for one locale; sessions get a separate schema for all locales', async () => {
    const reads = ['/api/pages', '/api/pages/{id}', '/api/globals/site']
    const of = (document: Document) =>
      reads.map((path) => Object(document.paths[path]?.get?.responses['200']?.content?.['application/json']))
    const languages = defineConfig({
      collections: { pages: defineCollection({ fields: { title: f.text({ localized: true, required: true }) } }) },
      globals: {
        site: defineGlobal({
          fields: { name: f.text({ localized: true, required: true }), pages: f.relation('pages', { many: true }) },
        }),
      },
      locales: { default: 'en', available: ['en', 'de'] },
    })
    const [open, signedIn] = [await readDocument(languages), await readDocument(languages, true)]
    expect(JSON.stringify(open)).not.toContain('AllLocales')
    expect(open.components.parameters.locale?.schema).toEqual({ type: 'string', enum: ['en', 'de'] })
    expect(JSON.stringify(of(signedIn).map(({ schema }) => schema))).not.toContain('AllLocales')
    expect(of(signedIn).map((content) => JSON.stringify(content['x-daybook-all-locales']))).toEqual([
      expect.stringContaining('PagesEntryAllLocales'),
      expect.stringContaining('PagesEntryAllLocales'),
      expect.stringContaining('SiteGlobalAllLocales'),
    ])
    expect(signedIn.components.parameters.locale?.schema.enum).toEqual(['en', 'de', 'all'])
    // Client generators take the type of an empty value from `type` only.
    expect(signedIn.components.schemas.SiteGlobalUnwritten?.properties).toMatchObject({
      name: { type: 'null' },
      pages: { type: 'array', maxItems: 0 },
    })
  })

  test('describes the merge patch of a JSON field with a schema', async () => {
    const { components } = await readDocument(kitchen, true)
    expect(components.schemas['ThingsEntryPatch.point']).toEqual({
      type: 'object',
      properties: {
        x: { anyOf: [{ type: 'number' }, { type: 'null' }] },
        y: { anyOf: [{ type: 'number' }, { type: 'null' }] },
      },
      additionalProperties: { type: 'null' },
    })
    expect(components.schemas['ThingsEntryUpdate.point']).toMatchObject({ required: ['x', 'y'] })
    expect(components.schemas.ThingsEntryPatch?.properties.point?.anyOf).toEqual([
      { $ref: '#/components/schemas/ThingsEntryPatch.point' },
      { type: 'null' },
    ])
  })

  test('has the operations of a batch, by collection', async () => {
    const { components } = await readDocument(blog)
    expect(
      components.schemas.PostsOperation?.oneOf?.map(({ properties, required }) => [properties.op?.const, required]),
    ).toEqual([
      ['create', ['op', 'collection', 'data']],
      ['update', ['op', 'collection', 'id', 'data']],
      ['delete', ['op', 'collection', 'id']],
      ['restore', ['op', 'collection', 'id', 'data']],
      ['publish', ['op', 'collection', 'id']],
      ['unpublish', ['op', 'collection', 'id']],
    ])
    expect(components.schemas.PostsOperation?.oneOf?.[0]?.properties.data).toEqual({
      $ref: '#/components/schemas/PostsEntryCreate',
    })
  })

  test('has the headers of each response, and a body for each error', async () => {
    const { paths, components } = await readDocument(blog)
    const { post, get } = paths['/api/posts'] ?? {}
    expect(Object.keys(post?.responses['201']?.headers ?? {})).toEqual(
      expect.arrayContaining(['ETag', 'Daybook-Seq', 'Location', 'Idempotency-Replayed', 'X-Request-Id']),
    )
    // Responses that do not contain the document are shared.
    expect(paths['/api/posts']?.patch?.responses['200']).toEqual({ $ref: '#/components/responses/BulkResult' })
    expect(paths['/api/posts/{id}/references']?.get?.responses['200']).toEqual({
      $ref: '#/components/responses/References',
    })
    expect(get?.responses['304']).toEqual({ $ref: '#/components/responses/NotModified' })
    expect(Object.keys(components.responses.NotModified?.headers ?? {})).toEqual(
      expect.arrayContaining(['ETag', 'Vary', 'X-Request-Id']),
    )
    expect(paths['/api/posts/{id}']?.delete?.responses['204']).toEqual({ $ref: '#/components/responses/NoContent' })
    expect(Object.keys(components.responses.NoContent?.headers ?? {})).toContain('Daybook-Seq')
    for (const [status, response] of Object.entries(post?.responses ?? {})) {
      if (Number(status) >= 400)
        expect(response, status).toEqual({ $ref: expect.stringMatching(/responses\/[A-Z_]+$/) })
    }
  })

  test('tells blocks apart by a discriminator', async () => {
    const { components } = await readDocument(kitchen)
    const parts = components.schemas.ThingsEntrySelection?.properties.parts
    expect(parts?.items.discriminator).toEqual({
      propertyName: '_type',
      mapping: {
        quote: '#/components/schemas/ThingsEntrySelection.parts.quote',
        prose: '#/components/schemas/ThingsEntrySelection.parts.prose',
      },
    })
    expect(components.schemas['ThingsEntrySelection.parts.quote']?.properties._type).toEqual({ const: 'quote' })
  })

  test('makes credentials optional on public routes, and requires one of two on session routes', async () => {
    const { paths, components } = await readDocument(kitchen)
    const schemes = [{ sessionCookie: [] }, { bearerAuth: [] }]
    expect(components.securitySchemes).toEqual({
      sessionCookie: { type: 'apiKey', in: 'cookie', name: 'better-auth.session_token' },
      bearerAuth: { type: 'http', scheme: 'bearer' },
    })
    expect(paths['/api/things']?.post?.security).toEqual(schemes)
    expect(paths['/api/guestbook']?.post?.security).toEqual([{}, ...schemes])
    expect(paths['/api/cms/auth/session']?.get?.security).toEqual([{}, ...schemes])
    expect(paths['/api/cms/auth/actions/login']?.post?.security).toEqual([{}, ...schemes])
    expect(paths['/api/health']?.get?.security).toEqual([])
    // A rule hides this collection from callers without a session.
    const signedIn = await readDocument(kitchen, true)
    expect(signedIn.paths['/api/members']?.get?.security).toEqual(schemes)
    expect([signedIn.paths['/api/things']?.get?.tags, signedIn.paths['/api/globals/site']?.get?.tags]).toEqual([
      ['things'],
      ['globals'],
    ])
  })

  test('has canonical and custom actions with their schemas, and the routes of the provider', async () => {
    const document = await readDocument(blog)
    expect(Object.keys(document.paths)).toContain('/api/auth/{path}')
    const adapter = {
      getCapabilities: () => ({
        provider: 'custom',
        providerRoutes: { enabled: false },
        actions: { wave: { description: 'Waves.', input: { type: 'object', properties: { at: { type: 'string' } } } } },
        'a"/b': { description: 'Has a name that no address can hold.' },
      }),
      getPrincipal: async () => null,
      getIdentity: async () => null,
    }
    const { paths, components } = await readDocument({ ...blog, auth: adapter })
    expect(Object.keys(paths).filter((path) => path.includes('/auth/'))).toEqual([
      '/api/cms/auth/session',
      '/api/cms/auth/actions',
      '/api/cms/auth/permissions',
      '/api/cms/auth/people',
      '/api/cms/auth/actions/login',
      '/api/cms/auth/actions/register',
      '/api/cms/auth/actions/logout',
      '/api/cms/auth/actions/wave',
      '/api/cms/auth/actions/{action}',
    ])
    const { login, register, logout } = Object.fromEntries(
      ['login', 'register', 'logout'].map((name) => [
        name,
        document.paths[`/api/cms/auth/actions/${name}`]?.post as Operation,
      ]),
    )
    const output = { $ref: '#/components/schemas/authLoginOutput' }
    expect(login?.responses['200']?.content?.['application/json']?.schema).toEqual(output)
    expect(document.components.schemas.authLoginOutput).toMatchObject({
      required: ['authenticated', 'principal', 'identity', 'token'],
      additionalProperties: false,
    })
    expect(Object.keys(document.components.schemas.authRegisterInput?.properties ?? {})).toEqual([
      'name',
      'email',
      'password',
    ])
    expect(register?.responses['201']?.content).toBeDefined()
    expect([logout?.responses['204']?.content, logout?.responses['2XX']]).toEqual([undefined, undefined])
    expect(components.schemas.authWaveInput?.properties).toEqual({ at: { type: 'string' } })
    expect(components.schemas.authLoginInput?.required).toEqual(['email', 'password'])
  })

  test('has the export only if it is enabled', async () => {
    await using service = await createTestService(blog)
    const response = await service.request('/openapi.json')
    expect((await response.text()).includes('/api/export')).toBe(false)
    expect(Object.keys((await readDocument(blog)).paths)).toContain('/api/export')
  })
})
