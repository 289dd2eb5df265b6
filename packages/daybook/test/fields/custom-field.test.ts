import {
  ANONYMOUS,
  COMMON_RULES,
  createService,
  defineCollection,
  defineConfig,
  type FieldType,
  f,
  makeField,
} from 'daybook'
import { createTestService } from 'daybook/testing'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { durationField } from '../support/configs/duration-field.ts'
import { POLICY_STORES, type StoredService } from '../support/stores/stores.ts'

const config = defineConfig({
  collections: {
    songs: defineCollection({
      fields: {
        title: f.text({ required: true }),
        length: durationField({ required: true, max: 7200 }),
        intro: durationField(),
        takes: f.list(f.group({ length: durationField({ default: 60 }) })),
      },
    }),
  },
})

describe.each(POLICY_STORES)('a field type of your own on $name', (store) => {
  let service: StoredService<typeof config>

  beforeAll(async () => {
    service = await store.open(config)
    for (const [title, length] of [
      ['Long', 3723],
      ['Short', 61],
      ['Empty', 0],
    ] as const) {
      await service.content.create('songs', { title, length, takes: [{ length: 5 }, {}] })
    }
  })
  afterAll(() => service.close())

  const titles = async (options: object): Promise<readonly string[]> =>
    (await service.content.as(ANONYMOUS).list('songs', { sort: 'length', ...options })).items.map(({ title }) => title)

  test('is served with its generated value, also inside lists', async () => {
    const { items } = await service.content.as(ANONYMOUS).list('songs', { where: { title: { eq: 'Long' } } })
    expect(items).toEqual([
      expect.objectContaining({
        length: 3723,
        lengthClock: '01:02:03',
        intro: null,
        introClock: null,
        takes: [
          { _key: expect.any(String), length: 5, lengthClock: '00:00:05' },
          { _key: expect.any(String), length: 60, lengthClock: '00:01:00' },
        ],
      }),
    ])
    expect(Object.keys(items[0] ?? {})).toEqual([
      'id',
      'title',
      'length',
      'lengthClock',
      'intro',
      'introClock',
      'takes',
      'createdAt',
      'updatedAt',
    ])
  })

  test('is filtered and sorted', async () => {
    expect(await titles({})).toEqual(['Empty', 'Short', 'Long'])
    expect(await titles({ where: { length: { gt: 60 } } })).toEqual(['Short', 'Long'])
  })

  test('is written back as it was read', async () => {
    const [song] = (await service.content.list('songs', { where: { title: { eq: 'Long' } } })).items
    const again = await service.content.update('songs', String(song?.id), { ...song })
    expect(again).toEqual(song)
  })

  test.each([
    [{ length: 7201 }, '/length', 'maximum'],
    [{ length: '61' }, '/length', 'type'],
    [{ length: 1, takes: [{ length: -1 }] }, '/takes/0/length', 'minimum'],
    [{}, '/length', 'required'],
  ])('rejects %j', async (data, path, code) => {
    await expect(service.content.create('songs', { title: 'Wrong', ...data } as never)).rejects.toMatchObject({
      details: { issues: [expect.objectContaining({ path, code })] },
    })
  })

  test('is in the model', () => {
    const songs = service.model.collections.get('songs')
    expect(songs?.schemas.read.properties).toMatchObject({
      length: { type: 'integer', maximum: 7200 },
      lengthClock: { readOnly: true },
      intro: { type: ['integer', 'null'] },
    })
    expect(songs?.filterableFields.get('length')?.scalar).toBe('number')
  })
})

test('its options are checked by its rules', async () => {
  const fields = { length: durationField({ max: -1, ...({ min: 5 } as object) }) }
  const broken = createService({ collections: { songs: defineCollection({ fields }) } })
  await expect(broken).rejects.toMatchObject({
    faults: [
      {
        path: 'collections.songs.fields.length.max',
        message: 'collections.songs.fields.length.max must be a number of seconds.',
      },
      {
        path: 'collections.songs.fields.length.min',
        message: expect.stringContaining('is not an option of f.duration(). Use one of: label,'),
      },
    ],
  })
})

test('uniqueItems in its schema compares objects as JSON Schema says', async () => {
  const palette: FieldType = {
    name: 'palette',
    rules: COMMON_RULES,
    schema: () => ({ type: 'array', items: { type: ['object', 'string'] }, uniqueItems: true }),
    accepts: (value) => Array.isArray(value),
  }
  const fields = { colours: makeField(palette, {}) }
  const service = await createTestService({ collections: { paints: defineCollection({ fields }) } })
  onTestFinished(() => service.close())
  const store = (...colours: readonly unknown[]): Promise<unknown> =>
    service.content.create('paints', { colours } as never)
  await store({ r: 1, g: [2] }, { r: 1, g: [3] }, '{"g":[2],"r":1}')
  await expect(store({ r: 1, g: [2] }, { g: [2], r: 1 })).rejects.toMatchObject({
    details: { issues: [{ path: '/colours', code: 'uniqueItems' }] },
  })
})
