import { defineCollection, defineConfig, f } from 'daybook'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseBody, sendRequest } from '../../support/scenarios/client.ts'
import { runScenarios, type Step } from '../../support/scenarios/scenario.ts'
import { batch, create, get, patch, put } from '../../support/scenarios/steps.ts'
import { STORES } from '../../support/stores/stores.ts'

const KINDS = ['post', 'event', 'talk'] as const
const endsWithStop = (value: string): string | undefined => (value.endsWith('.') ? undefined : 'must end with a stop')

const config = defineConfig({
  collections: {
    posts: defineCollection({
      fields: {
        title: f.text({ required: true }),
        status: f.status(),
        kind: f.select({ options: KINDS }),
        venue: f.text({ required: true, localized: true, showIf: { kind: 'event' }, validate: endsWithStop }),
        speaker: f.group(
          {
            name: f.text({ required: true }),
            isPaid: f.boolean(),
            fee: f.integer({ required: true, showIf: { isPaid: true } }),
          },
          { required: true, showIf: { kind: { in: ['talk'] } } },
        ),
        parts: f.blocks({
          quote: { by: f.text(), source: f.url({ required: true, showIf: { by: { exists: true } } }) },
        }),
        rows: f.list(f.group({ size: f.integer(), why: f.text({ required: true, showIf: { size: { ne: 1 } } }) })),
      },
    }),
  },
  locales: { default: 'en', available: ['en', 'de'] },
})

const rejected = (...issues: readonly (readonly [path: string, code?: string])[]): Partial<Step> => ({
  status: 400,
  body: {
    code: 'VALIDATION_ERROR',
    details: { issues: issues.map(([path, code = 'required']) => ({ path, code })) },
  },
})

runScenarios('a field with a condition', [
  {
    name: 'is required and validated only while the condition holds, at any depth',
    config,
    steps: [
      create('posts', { title: 'A' }, { keep: { id: '/id' }, body: { venue: null, speaker: null } }),
      create('posts', { title: 'A', kind: 'event' }, rejected(['/venue'])),
      create('posts', { title: 'A', kind: 'event', venue: ' ' }, rejected(['/venue'])),
      create('posts', { title: 'A', kind: 'event', venue: 'Hall' }, rejected(['/venue', 'validate'])),
      create('posts', { title: 'A', kind: 'talk' }, rejected(['/speaker'])),
      create('posts', { title: 'A', kind: 'talk', speaker: {} }, rejected(['/speaker/name'])),
      create('posts', { title: 'A', kind: 'talk', speaker: { name: 'I', isPaid: true } }, rejected(['/speaker/fee'])),
      create('posts', { title: 'A', kind: 'talk', speaker: { name: 'I' } }),
      create('posts', { title: 'A', speaker: { isPaid: true }, venue: 'Hall' }),
      create(
        'posts',
        { title: 'A', parts: [{ _type: 'quote' }, { _type: 'quote', by: 'I' }] },
        rejected(['/parts/1/source']),
      ),
      create('posts', { title: 'A', rows: [{ size: 1 }, { size: 2 }, {}] }, rejected(['/rows/1/why'], ['/rows/2/why'])),
      put('/api/posts/{id}', { kind: 'event' }, rejected(['/venue'])),
      patch('/api/posts/{id}', { kind: 'event', venue: 'Hall' }, rejected(['/venue', 'validate'])),
      put('/api/posts/{id}', { kind: 'event', venue: 'Hall.' }),
      put('/api/posts/{id}', { venue: null }, rejected(['/venue'])),
    ],
  },
  {
    name: 'keeps its value while the condition does not hold, and stores one that is sent',
    config,
    steps: [
      create('posts', { title: 'A', kind: 'event', venue: 'Hall.' }, { keep: { id: '/id' } }),
      put('/api/posts/{id}', { kind: 'post' }, { body: { kind: 'post', venue: 'Hall.' } }),
      get('/api/posts/{id}', { body: { venue: 'Hall.' } }),
      put('/api/posts/{id}', { venue: 'Tent' }, { body: { venue: 'Tent' } }),
      put('/api/posts/{id}', { kind: 'event' }, rejected(['/venue', 'validate'])),
      put('/api/posts/{id}', { venue: null }, { body: { venue: null } }),
    ],
  },
  {
    name: 'is required of drafts that are published, in batches, restored versions and other locales',
    config,
    steps: [
      create('posts', { title: 'A', kind: 'event', venue: 'Hall.' }, { keep: { id: '/id' } }),
      put('/api/posts/{id}?locale=de', { kind: 'event' }, rejected(['/venue'])),
      put('/api/posts/{id}?locale=de', { venue: 'Saal.' }),
      put('/api/posts/{id}?draft=true', { venue: null }),
      { method: 'POST', path: '/api/posts/{id}/publish', auth: true, json: {}, ...rejected(['/venue']) } as Step,
      put('/api/posts/{id}?draft=true', { kind: 'talk', speaker: { isPaid: true } }),
      {
        method: 'POST',
        path: '/api/posts/{id}/publish',
        auth: true,
        json: {},
        ...rejected(['/speaker/name'], ['/speaker/fee']),
      } as Step,
      put('/api/posts/{id}?draft=true', { kind: 'post' }),
      { method: 'POST', path: '/api/posts/{id}/publish', auth: true, json: {}, status: 200 },
      batch([{ op: 'create', collection: 'posts', data: { title: 'B', kind: 'event' } }], {
        status: 400,
        body: { details: { issues: [{ path: '/operations/0/data/venue', code: 'required' }] } },
      }),
    ],
  },
  {
    name: 'is described to programs, and may be null in the OpenAPI document',
    config,
    steps: [
      get('/api/cms/model', {
        auth: true,
        body: {
          collections: [
            {
              fields: [
                {},
                {},
                {},
                { key: 'venue', required: true, showIf: { kind: 'event' } },
                { key: 'speaker', showIf: { kind: { in: ['talk'] } }, fields: [{}, {}, { showIf: { isPaid: true } }] },
                {},
                {},
              ],
            },
            {},
          ],
        },
      }),
      get('/openapi.json', {
        body: {
          components: {
            schemas: {
              PostsEntry: { properties: { venue: { type: ['string', 'null'] } } },
              PostsEntryCreate: { required: ['title'] },
            },
          },
        },
      }),
    ],
  },
])

describe.each(STORES)('on $name', ({ open }) => {
  test('a write succeeds if, and only if, no field that is shown lacks a required value', async () => {
    await using service = await open(config)
    const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null })
    const document = fc.record(
      {
        kind: optional(fc.constantFrom(...KINDS)),
        venue: optional(fc.constantFrom('Hall.', 'Tent', ' ')),
        speaker: optional(
          fc.record(
            { name: optional(fc.constant('Inés')), isPaid: optional(fc.boolean()), fee: optional(fc.nat(9)) },
            { requiredKeys: [] },
          ),
        ),
        rows: fc.array(fc.record({ size: optional(fc.nat(2)), why: optional(fc.constantFrom('so', ' ')) }), {
          maxLength: 3,
        }),
      },
      { requiredKeys: [] },
    )
    type Document = typeof document extends fc.Arbitrary<infer T> ? T : never
    /** The rules of the config in plain words. */
    const isValid = ({ kind, venue, speaker, rows = [] }: Document): boolean => {
      const hasVenue = kind !== 'event' || venue === 'Hall.'
      const hasFee = speaker?.isPaid !== true || (speaker.fee ?? null) !== null
      const hasSpeaker = kind !== 'talk' || (speaker?.name === 'Inés' && hasFee)
      return hasVenue && hasSpeaker && rows.every(({ size, why }) => size === 1 || why === 'so')
    }
    const before = await service.content.create('posts', { title: 'Before' })
    await fc.assert(
      fc.asyncProperty(document, async (fields) => {
        const isStored = isValid(fields)
        const post = await sendRequest(service, '/api/posts', { method: 'POST', json: { title: 'A', ...fields } })
        expect([post.status, parseBody(post)]).toEqual([isStored ? 201 : 400, expect.anything()])
        const cleared = { kind: null, venue: null, speaker: null, rows: [] }
        const put = await sendRequest(service, `/api/posts/${before.id}`, {
          method: 'PUT',
          json: { ...cleared, ...fields },
        })
        expect(put.status).toBe(isStored ? 200 : 400)
      }),
      { numRuns: 60 },
    )
  })
})
