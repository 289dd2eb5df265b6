import type { TestService } from 'daybook/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { posts } from '../../support/configs/configs.ts'
import { parseBody, sendRequest } from '../../support/scenarios/client.ts'
import { requireEqual } from '../../support/scenarios/require.ts'
import { expectQuietProcess } from '../../support/scenarios/sane.ts'
import type { TestResponse } from '../../support/scenarios/transports.ts'
import { STORES } from '../../support/stores/stores.ts'
import { LARGE_TEST_MS } from '../../support/timeouts.ts'

const CLIENTS = 20
const STEPS = 25
const DOCUMENTS = 4

type Action = 'edit' | 'publish' | 'withdraw' | 'read' | 'delete'

/** An operation of a client on a document, as the client observed it. */
interface Event {
  readonly action: Action
  readonly start: number
  readonly end: number
  readonly status: number
  /** The revision that it stored or read; 0 if there was none. */
  readonly revision: number
  readonly title: unknown
}

/** Returns the revision in a tag: its first part, in base 36. */
const revisionOf = ({ headers }: TestResponse): number =>
  Number.parseInt(/^"([0-9a-z]+)\./.exec(headers.get('etag') ?? '')?.[1] ?? '0', 36)

function send(service: TestService, id: string, action: Action, title: string): Promise<TestResponse> {
  const path = `/api/posts/${id}`
  if (action === 'read') return sendRequest(service, path, { auth: true })
  if (action === 'delete') return sendRequest(service, path, { method: 'DELETE' })
  const json = action === 'edit' ? { title } : { status: action === 'publish' ? 'published' : 'draft' }
  return sendRequest(service, path, { method: 'PUT', json })
}

async function act(service: TestService, id: string, action: Action, title: string): Promise<Event> {
  const start = performance.now()
  const response = await send(service, id, action, title)
  const end = performance.now()
  const isFound = response.status === 200
  return {
    action,
    start,
    end,
    status: response.status,
    revision: isFound ? revisionOf(response) : 0,
    title: isFound ? parseBody(response).title : undefined,
  }
}

/** Expects an order of all operations that is consistent with every client's observations. Revisions define it. */
function expectLinearizable(history: readonly Event[]): void {
  const alive = history.filter(({ status }) => status === 200)
  // A revision has one content for all readers.
  for (const [revision, same] of Map.groupBy(alive, (event) => event.revision)) {
    expect(new Set(same.map(({ title }) => title)).size, `titles of revision ${revision}`).toBe(1)
  }
  // An operation cannot observe a later revision than one that began after it had ended.
  const fromTheFuture = alive.filter((event) =>
    alive.some((later) => event.end < later.start && event.revision > later.revision),
  )
  expect(fromTheFuture).toEqual([])
  const deleted = history.filter(({ action, status }) => action === 'delete' && status === 204)
  expect(deleted.length).toBeLessThanOrEqual(1)
  const [end] = deleted
  for (const event of history) {
    if (event.status === 404) expect(end && event.end > end.start, 'gone, and nobody had deleted it').toBe(true)
    if (event.status === 200 && end) expect(event.start).toBeLessThan(end.end)
  }
}

const action = fc.constantFrom<Action>(
  ...Array<Action>(8).fill('edit'),
  ...Array<Action>(8).fill('read'),
  'publish',
  'withdraw',
)

type Step = readonly [document: number, action: Action]

/** Turns the last steps of a plan into deletes, one for each document. */
const withDeletes = (plan: readonly Step[]): readonly Step[] =>
  plan.map((step, index) => (index < STEPS - DOCUMENTS ? step : [index - (STEPS - DOCUMENTS), 'delete']))

describe.each(STORES)('20 clients on $name', (store) => {
  test('edit, publish, read and delete in a linearizable order', { timeout: LARGE_TEST_MS }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.tuple(fc.nat({ max: DOCUMENTS - 1 }), action), { minLength: STEPS, maxLength: STEPS }), {
          minLength: CLIENTS,
          maxLength: CLIENTS,
        }),
        async (plans) => {
          await using service = await store.open(posts)
          const created = await Promise.all(
            Array.from({ length: DOCUMENTS }, (_, n) =>
              sendRequest(service, '/api/posts', { method: 'POST', json: { title: `${n}` } }),
            ),
          )
          const ids = created.map((response) => String(parseBody(response).id))
          const histories = ids.map((): Event[] => [])
          const run = async (plan: readonly Step[], client: number): Promise<void> => {
            for (const [step, [at, action]] of (client === 0 ? withDeletes(plan) : plan).entries()) {
              histories[at]?.push(await act(service, ids[at] ?? '', action, `${client} ${step}`))
            }
          }
          await Promise.all(plans.map(run))
          for (const history of histories) expectLinearizable(history)
        },
      ),
      { numRuns: 5, endOnFailure: true },
    )
    await expectQuietProcess()
  })

  test('of 10,000 pairs of updates with one tag, one of each succeeds, and none is lost', {
    timeout: LARGE_TEST_MS,
  }, async () => {
    await using service = await store.open(posts)
    const counters = await Promise.all(
      Array.from({ length: 100 }, async (_, n) => {
        const response = await sendRequest(service, '/api/posts', { method: 'POST', json: { title: `${n} 0` } })
        return { id: String(parseBody(response).id), tag: String(response.headers.get('etag')) }
      }),
    )
    for (let round = 1; round <= 100; round++) {
      await Promise.all(
        counters.map(async (counter) => {
          const change = (title: string): Promise<TestResponse> =>
            sendRequest(service, `/api/posts/${counter.id}`, {
              method: 'PUT',
              json: { title },
              headers: { 'If-Match': counter.tag },
            })
          const pair = await Promise.all([change(`${round} a`), change(`${round} b`)])
          requireEqual(pair.map(({ status }) => status).sort(), [200, 412], 'a pair of updates')
          counter.tag = String(pair.find(({ status }) => status === 200)?.headers.get('etag'))
        }),
      )
    }
    for (const { id, tag } of counters) {
      const response = await sendRequest(service, `/api/posts/${id}`, { auth: true })
      expect(response.headers.get('etag')).toBe(tag)
      expect(parseBody(response).title).toMatch(/^100 [ab]$/)
    }
    await expectQuietProcess()
  })
})
