import { defineCollection, defineConfig, defineGlobal, f } from 'daybook'
import { createTestService } from 'daybook/testing'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { kitchen } from '../support/configs/configs.ts'
import { type FuzzedOperation, FuzzRequests, operationsOf } from '../support/fuzz/fuzz-requests.ts'
import { FuzzedService, UNDOCUMENTED_RULES } from '../support/fuzz/fuzzed-service.ts'
import { textOf } from '../support/scenarios/client.ts'
import { type Document, DocumentedService } from '../support/scenarios/documented.ts'
import { expectQuietProcess, expectSane } from '../support/scenarios/sane.ts'
import type { TestRequest } from '../support/scenarios/transports.ts'
import { POLICY_STORES, type StoredService } from '../support/stores/stores.ts'
import { LARGE_TEST_MS, SLOW_MACHINE_LIMITS } from '../support/timeouts.ts'

/** A config with every field type, relations in both directions, localized values, blocks, globals, and the default accounts. */
const fuzzConfig = defineConfig({
  collections: {
    things: defineCollection({
      fields: {
        ...kitchen.collections.things.fields,
        title: f.text({ required: true, minLength: 1, maxLength: 80, localized: true }),
        friends: f.relation('people', { many: true }),
        about: f.relation(['people', 'things']),
        shelf: f.relation(['things', 'people'], { many: true }),
        seo: f.group({ title: f.text({ maxLength: 20, localized: true }), inner: f.group({ rank: f.integer() }) }),
        parts: f.blocks({
          quote: { text: f.text({ required: true }), by: f.relation('people') },
          prose: { text: f.markdown({ localized: true }) },
        }),
      },
    }),
    people: defineCollection({
      maxLimit: 5,
      fields: { name: f.text({ required: true }), boss: f.relation('people'), staff: f.reverse('people.boss') },
    }),
  },
  globals: {
    site: defineGlobal({ fields: { name: f.text({ required: true, localized: true }), lead: f.relation('people') } }),
  },
  locales: { default: 'en', available: ['en', 'de'], fallback: { de: ['en'] } },
  limits: { ...SLOW_MACHINE_LIMITS, signInsPerMinute: 1_000_000 },
})

// `npm run fuzz -- --examples 1000` sets both, and prints the seed.
const EXAMPLES = Number(process.env.DAYBOOK_FUZZ_EXAMPLES ?? 15)
const SEED = Number(process.env.DAYBOOK_FUZZ_SEED ?? 20261122)
/** Operations that need earlier changes or a secret, which a valid request does not name. */
const NEEDS_MORE = /^(?:restore|unschedule|getVersion|undo|authSetup)/
// Each request changes the content of the service, so a smaller request may not show the same fault.
const RUNS = { numRuns: EXAMPLES, seed: SEED, endOnFailure: true }

async function readDocument(service: Pick<StoredService, 'request' | 'token'>): Promise<Document> {
  const response = await service.request('/openapi.json', { headers: { Authorization: `Bearer ${service.token}` } })
  return (await response.json()) as Document
}

/** Operations of the auth provider, whose responses may be anything but a failure. */
const isProvided = ({ id }: FuzzedOperation): boolean => id === 'runAuthAction' || id.endsWith('AuthProvider')
/** The minimum share of valid requests that must succeed; the others violate rules that the document cannot express. */
const LEAST_SHARE = 0.2

const OPERATIONS: readonly FuzzedOperation[] = await (async () => {
  await using service = await createTestService(fuzzConfig, { export: true })
  return operationsOf(await readDocument(service))
})()

describe.each(POLICY_STORES)('requests generated from the OpenAPI document on $name', (store) => {
  let service: StoredService
  let fuzzed: FuzzedService
  let requests: FuzzRequests
  let documented: DocumentedService
  beforeAll(async () => {
    service = (await store.open(fuzzConfig, { export: true })) as unknown as StoredService
    const document = await readDocument(service)
    fuzzed = new FuzzedService(service)
    requests = new FuzzRequests(document, fuzzed)
    documented = new DocumentedService(document)
    await fuzzed.open()
  })
  afterAll(() => service.close())

  async function send(
    operation: FuzzedOperation,
    sent: TestRequest,
  ): Promise<{ readonly status: number; readonly text: string }> {
    const { method, path, headers, body } = sent
    const response = await service.request(path, { method, headers, ...(body === undefined ? {} : { body }) })
    const received = { status: response.status, headers: response.headers, text: await textOf(response) }
    expect(received.status, `${method} ${path} ${body}: ${received.text.slice(0, 300)}`).toBeLessThan(500)
    if (!isProvided(operation)) expectSane(received, method)
    documented.check(sent, received)
    return received
  }

  /** Restores the content that the next request may use up. */
  async function prepare({ method, path, id }: FuzzedOperation): Promise<void> {
    const collection = /^\/api\/(\w+)(?:\/\{id\})?$/.exec(path)?.[1]
    if (collection !== undefined && method === 'DELETE') await fuzzed.refill(collection)
    if (id === 'runBatch') await fuzzed.refillAll()
    if (id === 'authLogout') await fuzzed.signIn()
  }

  test.each(OPERATIONS)('$id accepts valid requests', { timeout: LARGE_TEST_MS }, async (operation) => {
    let valid = 0
    let accepted = 0
    await fuzzed.refillAll()
    const property = fc.asyncProperty(requests.of(operation, false), async (sent) => {
      await prepare(operation)
      const { status, text } = await send(operation, sent)
      if (isProvided(operation) || documented.faultsOf(sent).length > 0) return
      valid += 1
      if (status < 400) accepted += 1
      if (status !== 400) return
      const { details } = JSON.parse(text) as {
        readonly details: { readonly issues?: readonly { readonly code: string }[] }
      }
      for (const { code } of details.issues ?? [{ code: 'none' }])
        expect(Object.keys(UNDOCUMENTED_RULES), text).toContain(code)
    })
    await fc.assert(property, RUNS)
    if (!isProvided(operation) && !NEEDS_MORE.test(operation.id))
      expect(accepted / valid, `${accepted} of ${valid} succeeded`).toBeGreaterThan(LEAST_SHARE)
    await expectQuietProcess()
  })

  test.each(OPERATIONS.filter((operation) => !isProvided(operation)))(
    '$id rejects invalid requests',
    { timeout: LARGE_TEST_MS },
    async (operation) => {
      await fuzzed.refillAll()
      const property = fc.asyncProperty(requests.of(operation, true), async (sent) => {
        await prepare(operation)
        const { status, text } = await send(operation, sent)
        // A damaged request may still be valid.
        if (documented.faultsOf(sent).length > 0) expect(status, `${sent.path} ${sent.body}: ${text}`).toBe(400)
      })
      await fc.assert(property, RUNS)
      await expectQuietProcess()
    },
  )
})
