import type { DaybookConfig } from 'daybook'
import { describe, expect, test } from 'vitest'
import blog from '../../../../../examples/blog/daybook.config.ts'
import { POLICY_STORES, type Rows, STORES, type StoredService, type StoreKind } from '../stores/stores.ts'
import { expectDocumented } from './documented.ts'
import { fill, fillText, pick, type SavedValues } from './placeholders.ts'
import { expectNoCanary, expectQuietProcess, expectSane } from './sane.ts'
import {
  type Connection,
  IN_PROCESS,
  SOCKET,
  type TestRequest,
  type TestResponse,
  type Transport,
} from './transports.ts'

/** One request and what must come back. `{name}` stands for a value that an earlier step kept. */
export interface Step {
  /** @default 'GET' */
  readonly method?: string
  readonly path: string
  /** Sends the service token. @default false */
  readonly auth?: boolean
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly json?: unknown
  /** Sent as it stands; `Content-Type` is left to `headers`. */
  readonly raw?: string | Uint8Array

  readonly status: number
  /** Headers that the answer has: exactly, by pattern, or (`null`) not at all. */
  readonly responseHeaders?: Readonly<Record<string, string | RegExp | null>>
  /** What the body holds at least. */
  readonly body?: object
  /** What the body is. */
  readonly exactly?: unknown
  /** Texts that the body does not hold anywhere. */
  readonly lacks?: readonly string[]
  /** Values for later steps: JSON Pointers into the body, or names of headers. */
  readonly keep?: Readonly<Record<string, string>>
}

/** Requests in order, on a service of their own. */
export interface Scenario {
  readonly name: string
  /** @default the example blog with its first entries */
  readonly config?: DaybookConfig
  /** Where only one transport can say it. @default one for each store */
  readonly transport?: Transport
  readonly steps: readonly Step[]
}

/** Stores know nothing of transports, so each store is reached over another transport. */
const TRANSPORT_OF_STORE = { sqlite: SOCKET, postgres: IN_PROCESS } as const

/** Runs every scenario on every store, each over a transport of its own. */
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
  let kept: SavedValues = {}
  const watch = new Watch(service, connection)
  for (const [index, step] of steps.entries()) {
    const sent = toSent(step, kept, service.token)
    try {
      const answer = await watch.send(sent)
      expectAnswer(step, answer, sent, kept)
      await expectDocumented(service, sent, answer)
      kept = { ...kept, ...orphanedIn(step, answer) }
    } catch (error) {
      if (error instanceof Error) error.message = `step ${index + 1}, ${sent.method} ${sent.path}: ${error.message}`
      throw error
    }
  }
}

function toSent(step: Step, kept: SavedValues, token: string): TestRequest {
  const given = Object.entries(step.headers ?? {}).map(([name, value]) => [name, fillText(value, kept)])
  const headers = {
    ...(step.auth ? { Authorization: `Bearer ${token}` } : {}),
    ...(step.json === undefined ? {} : { 'Content-Type': 'application/json' }),
    ...Object.fromEntries(given),
  }
  const body = step.json === undefined ? step.raw : JSON.stringify(fill(step.json, kept))
  return { method: step.method ?? 'GET', path: fillText(step.path, kept), headers, body }
}

/** Sends requests; one that is refused must have left what is stored as it was (I4). */
class Watch {
  readonly #service: StoredService
  readonly #connection: Connection
  readonly #question: string
  /** What is stored, until the next write that is taken. */
  #stored: ReturnType<Rows> | undefined

  constructor(service: StoredService, connection: Connection) {
    this.#service = service
    this.#connection = connection
    this.#question = storedState(service)
  }

  async send(sent: TestRequest): Promise<TestResponse> {
    if (sent.method === 'GET' || sent.method === 'HEAD') return this.#connection.send(sent)
    this.#stored ??= this.#service.rows(this.#question)
    const before = await this.#stored
    const answer = await this.#connection.send(sent)
    if (answer.status < 400) this.#stored = undefined
    else expect(await this.#service.rows(this.#question), 'what is stored').toEqual(before)
    return answer
  }
}

/**
 * How far the journal has come, and how much stands in each table of content: no write is taken without a record, and no
 * document changes without the number of one. That all tables are what the journal says is for `journal-model.test.ts`.
 */
function storedState({ model }: StoredService): string {
  const of = (table: string, number: string): string =>
    `SELECT '${table}' AS name, count(*) AS rows, coalesce(sum(${number}), 0) AS numbers FROM "${table}"`
  const documents = [...model.collections.keys(), 'daybook$globals', 'daybook$collections', 'daybook$journal']
  const all = [...documents.map((table) => of(table, 'seq')), of('daybook$refs', 'position'), of('daybook$head', 'seq')]
  return all.join(' UNION ALL ')
}

function expectAnswer(step: Step, answer: TestResponse, { method, headers }: TestRequest, kept: SavedValues): void {
  expect(answer.status, answer.text.slice(0, 500)).toBe(step.status)
  expectSane(answer, method)
  if (!step.auth && headers.Authorization === undefined) expectNoCanary(answer)
  for (const [name, expected] of Object.entries(step.responseHeaders ?? {})) expectHeader(answer, name, expected, kept)
  if (step.body) expect(JSON.parse(answer.text)).toMatchObject(fill(step.body, kept) as object)
  if (step.exactly !== undefined) expect(JSON.parse(answer.text)).toEqual(fill(step.exactly, kept))
  for (const text of step.lacks ?? []) expect(answer.text).not.toContain(fillText(text, kept))
}

function expectHeader(
  { headers }: TestResponse,
  name: string,
  expected: string | RegExp | null,
  kept: SavedValues,
): void {
  const value = headers.get(name)
  if (expected instanceof RegExp) expect(value, name).toMatch(expected)
  else expect(value, name).toBe(expected === null ? null : fillText(expected, kept))
}

function orphanedIn({ keep = {} }: Step, answer: TestResponse): SavedValues {
  return Object.fromEntries(Object.entries(keep).map(([name, from]) => [name, pick(answer, from)]))
}
