import {
  type Caller,
  type DaybookConfig,
  defineCollection,
  defineConfig,
  defineGlobal,
  definePlugin,
  f,
  type ModelDescription,
} from 'daybook'
import { createTestService } from 'daybook/testing'
import { describe, expect, test } from 'vitest'
import { as } from '../../support/auth/people.ts'
import { kitchen } from '../../support/configs/configs.ts'
import { durationField } from '../../support/configs/duration-field.ts'
import { multilingual } from '../../support/configs/locales.ts'
import { notebook, people } from '../../support/configs/notebook.ts'
import { sealed, unsealed } from '../../support/configs/sealed.ts'
import { sendRequest } from '../../support/scenarios/client.ts'
import { runPolicyScenarios } from '../../support/scenarios/scenario.ts'
import { get, refused } from '../../support/scenarios/steps.ts'
import { POLICY_STORES } from '../../support/stores/stores.ts'

const MODEL = '/api/cms/model'
const PRIVATE = {
  'Cache-Control': 'private, no-store',
  Vary: 'Authorization, Cookie, Origin, Accept-Encoding',
} as const

/** One field of each kind that forms distinguish. */
const shop = defineConfig({
  plugins: [definePlugin({ name: 'shelves', version: '1.2.0', studio: { icon: 'box' } })],
  locales: { default: 'en', available: ['en', 'de'], fallback: { de: ['en'] } },
  assets: { images: { widths: [200, 400] } },
  collections: {
    goods: defineCollection({
      description: 'What is for sale.',
      maxLimit: 50,
      requireIfMatch: true,
      fields: {
        name: f.text({ required: true, unique: true, maxLength: 80, description: 'As on the label.' }),
        slug: f.slug({ from: 'name' }),
        text: f.markdown({ localized: true }),
        sizes: f.select({ options: ['S', 'M'], many: true, default: ['M'] }),
        makers: f.relation('makers', { many: true }),
        box: f.group({ weight: f.integer({ min: 0, required: true }) }),
        notes: f.list(f.text(), { max: 5 }),
        parts: f.blocks({ quote: { words: f.text() } }),
        baking: durationField(),
      },
    }),
    makers: defineCollection({ fields: { name: f.text({ search: false, index: false }) } }),
  },
  globals: { site: defineGlobal({ fields: { title: f.text() } }) },
})

/** Labels and descriptions, in one language and in several. */
const labelled = defineConfig({
  collections: {
    posts: defineCollection({
      label: { en: 'Posts', de: 'Beiträge' },
      singularLabel: { en: 'Post', de: 'Beitrag' },
      description: { en: 'What readers see.', de: 'Was Leser sehen.' },
      form: {
        tabs: [
          {
            label: 'Content',
            fields: [['kind', 'state'], 'people', { label: { de: 'Mehr' }, fields: ['seo'], collapsed: true }],
          },
          { label: 'Secret', fields: ['secret'] },
        ],
      },
      fields: {
        title: f.text({
          label: { de: 'Titel', en: 'Title' },
          description: { de: 'Kurz.' },
          admin: { position: 'side' },
        }),
        kind: f.select({ options: ['essay', { value: 'report', label: { en: 'Report', de: 'Bericht' } }] }),
        state: f.status({ label: 'State', options: ['draft', { value: 'published', label: 'Live' }] }),
        people: f.list(f.group({ person: f.group({ name: f.text() }) }, { label: 'Person' }), {
          itemTitle: 'person.name',
        }),
        seo: f.group({ title: f.text() }, { layout: 'row' }),
        secret: f.text({ access: { read: () => false } }),
        parts: f.blocks({
          quote: f.group(
            { words: f.text() },
            { label: { de: 'Zitat' }, description: 'By others.', itemTitle: 'words' },
          ),
          rule: { wide: f.boolean() },
        }),
      },
    }),
  },
  globals: { site: defineGlobal({ label: 'The site', fields: { title: f.text() } }) },
})

const TEXT = [
  'eq',
  'ne',
  'in',
  'nin',
  'exists',
  'lt',
  'lte',
  'gt',
  'gte',
  'startsWith',
  'contains',
  'ieq',
  'istartsWith',
  'icontains',
]
const ORDERED = ['eq', 'ne', 'in', 'nin', 'exists', 'lt', 'lte', 'gt', 'gte']
const MEMBERS = ['in', 'all', 'nin', 'exists']

/** The description of a field that can only be written. */
const plain = {
  schema: { type: 'string', maxLength: 512 },
  required: false,
  many: false,
  localized: false,
  unique: false,
  writable: true,
  operators: [],
  sortable: false,
  aggregates: [],
  searchable: false,
}
const field = (key: string, type: string, facts: object): object => ({ key, type, generated: [], ...plain, ...facts })
const words = (key: string): object => field(key, 'text', { searchable: true })
const time = (key: string): object => ({
  key,
  schema: { type: 'string', format: 'date-time', readOnly: true },
  operators: ORDERED,
  sortable: true,
  aggregates: ['count', 'count:day', 'count:month', 'count:year', 'min', 'max'],
})
const person = (key: string, what: string) => ({
  key,
  schema: {
    type: ['string', 'null'],
    readOnly: true,
    description: `The subject of the identity that ${what}; null where nobody is known.`,
  },
  operators: ORDERED,
  sortable: true,
  aggregates: [],
})
const SYSTEM_FIELDS = [
  {
    key: 'id',
    schema: { type: 'string', format: 'uuid', readOnly: true },
    operators: ORDERED,
    sortable: true,
    aggregates: ['count'],
  },
  time('createdAt'),
  time('updatedAt'),
  person('createdBy', 'made it'),
  person('updatedBy', 'last changed it'),
]
const NUMBERS = ['count', 'min', 'max', 'sum', 'avg']
const UUID = { type: 'string', format: 'uuid' }
const EVERYTHING = { read: true, create: true, update: true, delete: true, restore: true }

/** The description of the collection of files. */
const files = expect.objectContaining({
  key: 'assets',
  description: 'The files of the service.',
  permissions: EVERYTHING,
  searchable: true,
  fields: expect.arrayContaining([
    expect.objectContaining({ key: 'path', unique: true, required: true, writable: false, operators: TEXT }),
    expect.objectContaining({ key: 'sha256', writable: false, operators: TEXT }),
    expect.objectContaining({ key: 'alt', writable: true, localized: true, searchable: true }),
    expect.objectContaining({ key: 'focalPoint', writable: true }),
  ]),
})

const goods = {
  key: 'goods',
  description: 'What is for sale.',
  permissions: EVERYTHING,
  requireIfMatch: true,
  slugField: 'slug',
  titleField: 'name',
  statusField: null,
  maxLimit: 50,
  orderable: false,
  parentField: null,
  searchable: true,
  systemFields: SYSTEM_FIELDS,
  fields: [
    field('name', 'text', {
      description: 'As on the label.',
      schema: { type: 'string', maxLength: 80 },
      required: true,
      unique: true,
      operators: TEXT,
      sortable: true,
      aggregates: ['count'],
      searchable: true,
    }),
    field('slug', 'slug', {
      schema: {
        type: 'string',
        minLength: 1,
        maxLength: 200,
        examples: ['my-first-post'],
        allOf: [expect.any(Object), expect.any(Object)],
      },
      required: true,
      unique: true,
      operators: TEXT,
      sortable: true,
      aggregates: ['count'],
      from: 'name',
    }),
    field('text', 'markdown', {
      schema: { type: 'string', maxLength: 1_000_000, examples: ['Some *words*.'] },
      localized: true,
      searchable: true,
      generated: ['textHtml'],
    }),
    field('sizes', 'select', {
      schema: { type: 'array', items: { type: 'string', enum: ['S', 'M'] }, uniqueItems: true },
      many: true,
      options: ['S', 'M'],
      default: ['M'],
      operators: MEMBERS,
      aggregates: ['count'],
    }),
    field('makers', 'relation', {
      schema: { type: 'array', items: UUID, uniqueItems: true, maxItems: 1000 },
      many: true,
      relation: { to: 'makers', onDelete: 'unset' },
      operators: MEMBERS,
    }),
    field('box', 'group', {
      schema: { type: 'object' },
      fields: [
        field('weight', 'integer', {
          schema: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
          required: true,
          operators: ORDERED,
          sortable: true,
          aggregates: NUMBERS,
        }),
      ],
    }),
    field('notes', 'list', {
      schema: { type: 'array', maxItems: 5 },
      many: true,
      operators: MEMBERS,
      aggregates: ['count'],
      of: { type: 'text', ...plain, searchable: true },
    }),
    field('parts', 'blocks', {
      schema: { type: 'array', maxItems: 1000 },
      many: true,
      itemKey: '_key',
      blocks: [{ type: 'quote', fields: [words('words')] }],
    }),
    field('baking', 'duration', {
      schema: { type: 'integer', minimum: 0, maximum: 86_400 },
      operators: ORDERED,
      sortable: true,
      aggregates: NUMBERS,
      generated: ['bakingClock'],
    }),
  ],
}

const makers = {
  key: 'makers',
  permissions: EVERYTHING,
  requireIfMatch: false,
  slugField: null,
  titleField: 'name',
  statusField: null,
  maxLimit: 100,
  orderable: false,
  parentField: null,
  searchable: false,
  systemFields: SYSTEM_FIELDS,
  fields: [field('name', 'text', { schema: { type: 'string', maxLength: 100_000 } })],
}

const site = {
  key: 'site',
  permissions: { read: true, update: true },
  requireIfMatch: false,
  systemFields: [
    { key: 'key', schema: { const: 'site' }, operators: [], sortable: false, aggregates: [] },
    ...SYSTEM_FIELDS.slice(3).map((field) => ({ ...field, operators: [], sortable: false, aggregates: [] })),
  ],
  fields: [field('title', 'text', {})],
}

runPolicyScenarios('the content model', [
  {
    name: 'has types, bounds, operators, locales, generated keys and inner fields',
    config: shop,
    steps: [
      get(MODEL, {
        auth: true,
        responseHeaders: { ...PRIVATE, ETag: /^"[\w-]{22}"$/ },
        exactly: {
          locales: { default: 'en', available: ['en', 'de'], fallback: { de: ['en'] } },
          collections: [goods, makers, files],
          globals: [site],
          imageWidths: [200, 400],
          plugins: [{ name: 'shelves', version: '1.2.0', studio: { icon: 'box' } }],
        },
      }),
    ],
  },
  {
    name: 'has the labels and descriptions of the config, in all languages',
    config: labelled,
    steps: [
      get(MODEL, {
        auth: true,
        body: {
          collections: [
            {
              label: { en: 'Posts', de: 'Beiträge' },
              singularLabel: { en: 'Post', de: 'Beitrag' },
              description: { en: 'What readers see.', de: 'Was Leser sehen.' },
              form: {
                tabs: [
                  {
                    label: 'Content',
                    parts: [
                      { rows: [['kind', 'state'], ['people']] },
                      { label: { de: 'Mehr' }, collapsed: true, rows: [['seo']] },
                      { rows: [['parts']] },
                    ],
                  },
                ],
              },
              fields: [
                { label: { de: 'Titel', en: 'Title' }, description: { de: 'Kurz.' }, position: 'side' },
                {
                  options: ['essay', 'report'],
                  optionLabels: { report: { en: 'Report', de: 'Bericht' } },
                  schema: { enum: ['essay', 'report'] },
                },
                { label: 'State', options: ['draft', 'published'], optionLabels: { published: 'Live' } },
                { itemTitle: 'person.name', of: { label: 'Person' } },
                { key: 'seo', layout: 'row' },
                {
                  blocks: [
                    { type: 'quote', label: { de: 'Zitat' }, description: 'By others.', itemTitle: 'words' },
                    { type: 'rule', fields: [{ key: 'wide' }] },
                  ],
                },
              ],
            },
            { key: 'assets' },
          ],
          globals: [{ label: 'The site' }],
        },
      }),
      get('/openapi.json', {
        body: {
          components: {
            schemas: {
              PostsEntry: {
                title: 'Posts',
                description: 'What readers see.',
                properties: { title: { title: 'Title', description: 'Kurz.' } },
              },
            },
          },
        },
      }),
    ],
  },
  {
    name: 'needs a session, and takes no parameters',
    steps: [
      get(MODEL, { status: 401, body: { code: 'UNAUTHORIZED' } }),
      refused(`${MODEL}?collection=posts`, 'collection', { auth: true }),
      get(MODEL, { method: 'HEAD', auth: true, responseHeaders: PRIVATE }),
      get(MODEL, {
        method: 'PUT',
        auth: true,
        json: {},
        status: 405,
        responseHeaders: { Allow: 'GET, HEAD, OPTIONS' },
      }),
    ],
  },
  {
    name: 'returns 304 if the client has it, and 412 if the precondition fails',
    steps: [
      get(MODEL, { auth: true, keep: { tag: 'etag' } }),
      get(MODEL, {
        auth: true,
        headers: { 'If-None-Match': '{tag}' },
        status: 304,
        responseHeaders: { ...PRIVATE, ETag: '{tag}' },
      }),
      get(MODEL, { auth: true, headers: { 'If-None-Match': '"another"' } }),
      get(MODEL, { auth: true, headers: { 'If-Match': '"another"' }, status: 412 }),
    ],
  },
  {
    name: 'has the permissions of the caller: true, false, or "some" if they depend on the entry',
    config: notebook,
    steps: [
      as(
        'ann',
        get(MODEL, {
          body: {
            collections: [
              {
                key: 'notes',
                permissions: { read: 'some', create: 'some', update: 'some', delete: 'some', restore: false },
              },
              { key: 'pages', permissions: EVERYTHING },
              { key: 'teams', permissions: { ...EVERYTHING, delete: 'some' } },
              { key: 'boards', permissions: { ...EVERYTHING, read: 'some', restore: false } },
              { key: 'plans', permissions: { ...EVERYTHING, update: 'some', delete: 'some', restore: false } },
              { key: 'assets', permissions: EVERYTHING },
            ],
            globals: [
              {
                key: 'site',
                permissions: { read: true, update: true },
                fields: [{ writable: true }, { writable: false }],
              },
              { key: 'internal', permissions: { read: true, update: true } },
            ],
          },
          lacks: ['ledgers', 'letters', 'vault', 'secret'],
          keep: { tag: 'etag' },
        }),
      ),
      as('bob', get(MODEL, { headers: { 'If-None-Match': '{tag}' }, status: 304 })),
      as(
        'cleo',
        get(MODEL, {
          headers: { 'If-None-Match': '{tag}' },
          body: { globals: [{ permissions: { update: false } }, {}] },
        }),
      ),
      as(
        'ada',
        get(MODEL, {
          headers: { 'If-None-Match': '{tag}' },
          body: {
            collections: [
              { key: 'notes', permissions: EVERYTHING },
              { key: 'pages' },
              { key: 'teams' },
              { key: 'boards' },
              { key: 'ledgers' },
              { key: 'letters' },
              { key: 'plans' },
              { key: 'assets' },
            ],
          },
        }),
      ),
    ],
  },
])

/** A config with relations to a collection that has a rule for reading. */
const hiddenTarget = defineConfig({
  ...notebook,
  collections: {
    ...notebook.collections,
    pages: defineCollection({ fields: { ledger: f.relation('ledgers'), rows: f.list(f.relation('ledgers')) } }),
  },
})

async function modelFor(config: DaybookConfig, token: string, store = POLICY_STORES[0]): Promise<ModelDescription> {
  if (!store) throw new Error('There is no store.')
  await using service = await store.open(config)
  const { status, text } = await sendRequest(service, MODEL, { headers: { Authorization: `Bearer ${token}` } })
  expect(status, text).toBe(200)
  return JSON.parse(text)
}

describe('parts that the caller may not read', () => {
  test('are absent: sealed fields of every kind leave no trace', async () => {
    const described = await modelFor(sealed, 'ann')
    expect(described).toEqual(await modelFor(unsealed, 'ann'))
    expect(JSON.stringify(described)).not.toMatch(/sealed|blind|vaults/)
    expect(JSON.stringify(await modelFor(sealed, 'ada'))).toMatch(/sealedText.*blindRefs.*vaults/)
  })

  test('do not include the accepted types of a field for files', async () => {
    const pages = defineCollection({
      fields: { cover: f.asset({ accept: ['image/*'], maxBytes: 5000 }), files: f.asset({ many: true }) },
    })
    const { collections } = await modelFor({ ...notebook, collections: { ...notebook.collections, pages } }, 'ann')
    expect(collections.find(({ key }) => key === 'pages')?.fields.map(({ relation }) => relation)).toEqual([
      { to: 'assets', onDelete: 'unset', accept: ['image/*'], maxBytes: 5000 },
      { to: 'assets', onDelete: 'unset' },
    ])
  })

  test('are not named by relations to them', async () => {
    const described = await modelFor(hiddenTarget, 'ann')
    expect(JSON.stringify(described)).not.toContain('ledgers')
    const pages = described.collections.find(({ key }) => key === 'pages')
    expect(pages?.fields.map(({ relation, of }) => relation ?? of?.relation)).toEqual([
      { to: null, onDelete: 'unset' },
      { to: null, onDelete: 'unset' },
    ])
  })
})

/** Rules that fail for Ann only. */
const failing = (part: 'read' | 'field'): DaybookConfig => {
  const fail = ({ identity }: Caller): boolean => {
    if (identity?.subject === 'ann') throw new Error('no such list of friends')
    return true
  }
  const notes = defineCollection({
    fields: { text: f.text(part === 'field' ? { access: { read: fail } } : {}) },
    ...(part === 'read' ? { access: { read: fail } } : {}),
  })
  return defineConfig({ auth: people.adapter, collections: { notes } })
}

test.each(['read', 'field'] as const)(
  'a %s rule that fails tells nothing, and leaves others their answer',
  async (part) => {
    await using service = await createTestService(failing(part))
    const sendRequest = (name: string): Promise<Response> =>
      service.request(MODEL, { headers: { Authorization: `Bearer ${name}` } })
    const refusal = await sendRequest('ann')
    expect(refusal.status).toBe(500)
    expect(await refusal.text()).not.toMatch(/notes|friends/)
    expect(await (await sendRequest('bob')).json()).toMatchObject({
      collections: [{ key: 'notes', fields: [{ key: 'text' }] }, { key: 'assets' }],
    })
  },
)

const OPERATORS = [...new Set([...TEXT, ...MEMBERS])]

/** A valid value of a schema, as text of a query. */
function sampleOf(schema: Readonly<Record<string, unknown>>): string {
  const { type, format, enum: values, items } = schema
  if (items) return sampleOf(items as Readonly<Record<string, unknown>>)
  if (Array.isArray(values)) return String(values[0])
  if (type === 'boolean') return 'true'
  if (type === 'number' || type === 'integer') return '1'
  if (format === 'uuid') return '01a1f9d5-ddca-7255-9a37-e7bf8ce09df2'
  return format === 'date' ? '2026-11-20' : format === 'date-time' ? '2026-11-20T09:30:00Z' : 'x'
}

/** The part of a field's description that concerns queries. */
type DescribedField = Pick<
  ModelDescription['collections'][number]['systemFields'][number],
  'key' | 'schema' | 'operators' | 'sortable'
> & {
  readonly fields?: readonly DescribedField[] | undefined
}

/** Lists fields and those in groups, by dotted path. */
const pathsOf = (
  fields: readonly DescribedField[],
  before = '',
): readonly (readonly [path: string, field: DescribedField])[] =>
  fields.flatMap((field) => [
    [`${before}${field.key}`, field] as const,
    ...pathsOf(field.fields ?? [], `${before}${field.key}.`),
  ])

describe.each(POLICY_STORES)('on $name', (store) => {
  test.each([
    ['every field type', kitchen],
    ['fields in several languages', multilingual],
  ])('a list of %s accepts exactly the operators and orders of the model', async (_what, config) => {
    await using service = await store.open(config)
    const headers = { Authorization: `Bearer ${service.token}` }
    const model: ModelDescription = JSON.parse((await sendRequest(service, MODEL, { headers })).text)
    const isAccepted = async (query: string): Promise<boolean> => {
      const { status, text } = await sendRequest(service, query, { headers })
      expect([200, 400], text).toContain(status)
      return status === 200
    }
    const [collection] = model.collections
    if (!collection) throw new Error('There is no collection.')
    for (const [path, { schema, operators, sortable }] of pathsOf([...collection.fields, ...collection.systemFields])) {
      const list = `/api/${collection.key}?limit=0&`
      expect(await isAccepted(`${list}sort=${path}`), `sort=${path}`).toBe(sortable)
      for (const operator of OPERATORS) {
        const value = operator === 'exists' ? 'true' : sampleOf(schema)
        const isTaken = await isAccepted(`${list}where[${path}][${operator}]=${encodeURIComponent(value)}`)
        expect(isTaken, `where[${path}][${operator}]`).toBe(operators.includes(operator))
      }
    }
  })
})
