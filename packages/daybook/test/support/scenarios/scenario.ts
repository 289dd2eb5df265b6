import type { DaybookConfig } from 'daybook'
import { describe, expect, test } from 'vitest'
import blog from '../../../../../examples/blog/daybook.config.ts'
import { POLICY_STORES, type Rows, STORES, type StoredService, type StoreKind } from '../stores/stores.ts'
import { expectDocumented } from './documented.ts'
import { expectNoCanary, expectQuietProcess, expectSane } from './sane.ts'
import { fill, fillText, pick, type SavedValues } from './steps.ts'
import {
  type Connection,
  IN_PROCESS,
  SOCKET,
  type TestRequest,
  type TestResponse,
  type Transport,
} from './transports.ts'

/** A request with the expected response. `{name}` stands for a value that an earlier step saved. */
export interface Step {
  /** @default 'GET' */
  readonly method?: string
  readonly path: string
  /** Sends the service token. @default false */
  readonly auth?: boolean
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly json?: unknown
  /** The raw body. `headers` sets the `Content-Type`. */
  readonly raw?: string | Uint8Array

  readonly status: number
  /** Expected headers: a value, a pattern, or `null` for a missing header. */
  readonly responseHeaders?: Readonly<Record<string, string | RegExp | null>>
  /** Expected members of the body. */
  readonly body?: object
  /** The expected body. */
  readonly exactly?: unknown
  /** Texts that the body must not contain. */
  readonly lacks?: readonly string[]
  /** The values to save for later steps: JSON Pointers into the body, or names of headers. */
  readonly keep?: Readonly<Record<string, string>>
}

/** Requests in order, on a new service. */
export interface Scenario {
  readonly name: string
  /** @default the example blog with its first entries */
  readonly config?: DaybookConfig
  /** A transport, if the scenario works on one only. @default one for each store */
  readonly transport?: Transport
  readonly steps: readonly Step[]
}

/** Stores do not depend on transports, so each store uses another transport. */
const TRANSPORT_OF_STORE = { sqlite: SOCKET, postgres: IN_PROCESS } as const

/** Runs every scenario on every store, each over another transport. */
export function runScenarios(subject: string, scenarios: readonly Scenario[]): void {
  runOn(STORES, subject, scenarios)
}

/** Runs scenarios about policy, which the database does not decide, on {@link POLICY_STORES}. */
export function runPolicyScenarios(subject: string, scenarios: readonly Scenario[]): void {
  runOn(POLICY_STORES, subject, scenarios)
}

function runOn(stores: readonly StoreKind[], subject: string, scenarios: readonly Scenario[]): void {
  describe.each(stores)(`${subject} on $name`, (store) => {
    test.each(scenarios)('$name', async ({ config = blog, transport = TRANSPORT_OF_STORE[store.name], steps }) => {
      const service = await store.open(config)
      const connection = await transport.connect(service)
      try {
        await runSteps(service, connection, steps)
      } finally {
        await connection.close()
      }
      await expectQuietProcess()
    })
  })
}

async function runSteps(service: StoredService, connection: Connection, steps: readonly Step[]): Promise<void> {
  let saved: SavedValues = {}
  const watch = new Watch(service, connection)
  for (const [index, step] of steps.entries()) {
    const sent = toSent(step, saved, service.token)
    try {
      const response = await watch.send(sent)
      expectResponse(step, response, sent, saved)
      await expectDocumented(service, sent, response)
      saved = { ...saved, ...pickValues(step, response) }
    } catch (error) {
      if (error instanceof Error) error.message = `step ${index + 1}, ${sent.method} ${sent.path}: ${error.message}`
      throw error
    }
  }
}

function toSent(step: Step, saved: SavedValues, token: string): TestRequest {
  const filledHeaders = Object.entries(step.headers ?? {}).map(([name, value]) => [name, fillText(value, saved)])
  const headers = {
    ...(step.auth ? { Authorization: `Bearer ${token}` } : {}),
    ...(step.json === undefined ? {} : { 'Content-Type': 'application/json' }),
    ...Object.fromEntries(filledHeaders),
  }
  const body = step.json === undefined ? step.raw : JSON.stringify(fill(step.json, saved))
  return { method: step.method ?? 'GET', path: fillText(step.path, saved), headers, body }
}

/** Sends requests, and checks that a rejected request has stored nothing. */
class Watch {
  readonly #service: StoredService
  readonly #connection: Connection
  readonly #stateQuery: string
  /** The stored state, until the next successful write. */
  #stored: ReturnType<Rows> | undefined

  constructor(service: StoredService, connection: Connection) {
    this.#service = service
    this.#connection = connection
    this.#stateQuery = storedState(service)
  }

  async send(sent: TestRequest): Promise<TestResponse> {
    if (sent.method === 'GET' || sent.method === 'HEAD') return this.#connection.send(sent)
    this.#stored ??= this.#service.rows(this.#stateQuery)
    const before = await this.#stored
    const response = await this.#connection.send(sent)
    if (response.status < 400) this.#stored = undefined
    else expect(await this.#service.rows(this.#stateQuery), 'the stored state').toEqual(before)
    return response
  }
}

/**
 * Builds the query for the journal's head, and the row counts and revisions of each content table. Every successful write adds a record,
 * and every change of a document its number. `journal-model.test.ts` checks that all tables match the journal.
 */
function storedState({ model }: StoredService): string {
  const of = (table: string, number: string): string =>
    `SELECT '${table}' AS name, count(*) AS rows, coalesce(sum(${number}), 0) AS numbers FROM "${table}"`
  const documents = [...model.collections.keys(), 'daybook$globals', 'daybook$collections', 'daybook$journal']
  const all = [...documents.map((table) => of(table, 'seq')), of('daybook$refs', 'position'), of('daybook$head', 'seq')]
  return all.join(' UNION ALL ')
}

function expectResponse(
  step: Step,
  response: TestResponse,
  { method, headers }: TestRequest,
  saved: SavedValues,
): void {
  expect(response.status, response.text.slice(0, 500)).toBe(step.status)
  expectSane(response, method)
  if (!step.auth && headers.Authorization === undefined) expectNoCanary(response)
  for (const [name, expected] of Object.entries(step.responseHeaders ?? {}))
    expectHeader(response, name, expected, saved)
  if (step.body) expect(JSON.parse(response.text)).toMatchObject(fill(step.body, saved) as object)
  if (step.exactly !== undefined) expect(JSON.parse(response.text)).toEqual(fill(step.exactly, saved))
  for (const text of step.lacks ?? []) expect(response.text).not.toContain(fillText(text, saved))
}

function expectHeader(
  { headers }: TestResponse,
  name: string,
  expected: string | RegExp | null,
  saved: SavedValues,
): void {
  const value = headers.get(name)
  if (expected instanceof RegExp) expect(value, name).toMatch(expected)
  else expect(value, name).toBe(expected === null ? null : fillText(expected, saved))
}

function pickValues({ keep = {} }: Step, response: TestResponse): SavedValues {
  return Object.fromEntries(Object.entries(keep).map(([name, from]) => [name, pick(response, from)]))
}
