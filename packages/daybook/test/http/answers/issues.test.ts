import { type DaybookConfig, defineCollection, defineConfig, f } from 'daybook'
import { createTestService, type TestService } from 'daybook/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const GONE = '01a1f9db-1852-753b-bd05-45f103990b36'

const isService = ({ identity }: { identity: { actorType: string } | null }): boolean =>
  identity?.actorType === 'service'

const config: DaybookConfig = defineConfig({
  collections: {
    people: defineCollection({ fields: { name: f.text(), salary: f.integer({ access: { read: isService } }) } }),
    pages: defineCollection({
      access: { create: () => true },
      fields: {
        title: f.text({ required: true }),
        status: f.status(),
        secret: f.text({ access: { read: isService, write: isService } }),
        author: f.relation('people'),
        seo: f.group({ summary: f.text() }),
        parts: f.blocks({
          quote: {
            words: f.text({ required: true, validate: (value) => (value === 'bad' ? 'is bad' : undefined) }),
            by: f.relation('people'),
            rows: f.list(f.group({ cell: f.text({ required: true }) })),
          },
        }),
        links: f.list(f.group({ label: f.text({ required: true }), to: f.relation('people') })),
      },
    }),
  },
})

type Issue = { readonly path: string; readonly code: string; readonly message: string }

let service: TestService
beforeAll(async () => {
  service = await createTestService(config)
})
afterAll(() => service.close())

const ask = async (method: string, path: string, body?: object, isSignedIn = true): Promise<Response> =>
  service.fetch(
    new Request(`http://daybook.test${path}`, {
      method,
      headers: {
        'Content-Type': 'application/json',
        ...(isSignedIn ? { Authorization: `Bearer ${service.token}` } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    }),
  )
const issuesOf = async (response: Response): Promise<readonly Issue[]> =>
  ((await response.json()) as { details: { issues?: readonly Issue[] } }).details.issues ?? []
const create = async (body: object, isSignedIn?: boolean): Promise<readonly Issue[]> =>
  issuesOf(await ask('POST', '/api/pages', { title: 'A', ...body }, isSignedIn))

const good = { _type: 'quote', words: 'good' }

describe('paths of issues carry the place of the item', () => {
  test.each<[string, object, string, string]>([
    ['missing in a block', { parts: [good, { _type: 'quote' }] }, '/parts/1/words', 'required'],
    ['blank in a block', { parts: [good, { _type: 'quote', words: '' }] }, '/parts/1/words', 'required'],
    [
      'missing in a list in a block',
      { parts: [good, { ...good, rows: [{ cell: 'a' }, { cell: '' }] }] },
      '/parts/1/rows/1/cell',
      'required',
    ],
    ['blank in a list', { links: [{ label: 'a' }, { label: '' }] }, '/links/1/label', 'required'],
    ['of another type', { parts: [good, { ...good, words: 7 }] }, '/parts/1/words', 'type'],
    ['a reference of a block', { parts: [good, { ...good, by: GONE }] }, '/parts/1/by', 'reference'],
    ['a reference of a list', { links: [{ label: 'a' }, { label: 'b', to: GONE }] }, '/links/1/to', 'reference'],
    ['a validator', { parts: [good, { ...good, words: 'bad' }] }, '/parts/1/words', 'validate'],
    ['unknown', { parts: [good, { ...good, colour: 'red' }] }, '/parts/1/colour', 'unknown_field'],
  ])('%s', async (_name, body, path, code) => {
    expect(await create(body)).toMatchObject([{ path, code }])
  })

  test('of a draft that is published', async () => {
    const { id } = (await (await ask('POST', '/api/pages', { title: 'A', status: 'draft' })).json()) as { id: string }
    const saved = await ask('PUT', `/api/pages/${id}?draft=true`, { parts: [good, { _type: 'quote' }] })
    expect(saved.status).toBe(200)
    const issues = await issuesOf(await ask('POST', `/api/pages/${id}/publish`, {}))
    expect(issues).toMatchObject([{ path: '/parts/1/words', code: 'required' }])
  })
})

describe('a mistyped name is answered with the one that is meant', () => {
  test.each<[object, string, string]>([
    [{ secrt: 'a' }, '/secrt', 'secret'],
    [{ seo: { sumary: 'a' } }, '/seo/sumary', 'summary'],
    [{ parts: [{ ...good, wrods: 'a' }] }, '/parts/0/wrods', 'words'],
    [{ links: [{ label: 'a', lable: 'b' }] }, '/links/0/lable', 'label'],
  ])('in a body: %j', async (body, path, name) => {
    expect(await create(body)).toMatchObject([{ path, message: `there is no such field. Did you mean "${name}"?` }])
  })

  test.each([
    ['where[titel][eq]=a', 'title'],
    ['where[author.nmae][eq]=a', 'author.name'],
    ['where[or][0][titel][eq]=a', 'title'],
    ['sort=-titel', 'title'],
    ['sort=createdat', 'createdAt'],
    ['select=titel', 'title'],
    ['include=author&select=author.nmae', 'author.name'],
    ['include=autor', 'author'],
    ['include=parts.bi', 'parts.by'],
    ['lmit=3', 'limit'],
  ])('in a query: %s', async (query, name) => {
    const [issue] = await issuesOf(await ask('GET', `/api/pages?${query}`))
    expect(issue?.message).toMatch(new RegExp(`(Did you mean "${name}"\\?|write ${name})$`))
  })

  test.each([
    'where[secrt][eq]=a',
    'sort=secrt',
    'select=secrt',
    'where[author.salry][gt]=1',
    'include=author&select=author.salry',
  ])('and never with one that the caller may not read: %s', async (query) => {
    const [issue] = await issuesOf(await ask('GET', `/api/pages?${query}`, undefined, false))
    expect(issue).toMatchObject({ code: 'unknown_field', message: expect.not.stringContaining('Did you mean') })
  })

  test('and never with one that the caller may not write', async () => {
    expect(await create({ secrt: 'a' }, false)).toMatchObject([{ path: '/secrt', message: 'there is no such field' }])
  })
})
