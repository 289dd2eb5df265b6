import { StartupError } from '../../errors.ts'
import type { ReplayRequest } from '../../journal/replay.ts'
import type { DeliveryState } from '../../journal/stored-deliveries.ts'
import type { Model } from '../../model/model.ts'
import { nearest } from '../../nearest.ts'
import type { FailedDelivery, SubscribedJournal, SubscriptionStatus } from '../../plugin-host/journal-reader.ts'
import { subscribedJournal, subscriptionName } from '../../plugin-host/plugin-journal.ts'
import type { Store } from '../../store/store.ts'
import { openHost } from '../open-host.ts'
import { type CommandLine, readCommandOptions } from '../options.ts'
import { table } from '../table.ts'
import { UsageError } from '../usage.ts'

const OPTIONS = {
  /** Of `list`: one endpoint alone. */
  endpoint: { type: 'string' },
  /** Of `list`: the deliveries that are tried again. */
  pending: { type: 'boolean' },
  /** Of `list`: the deliveries that are tried no more by themselves. Of `replay`: those, up to 1,000 at once. */
  parked: { type: 'boolean' },
  /** Of `list`: JSON, for programs. */
  json: { type: 'boolean' },
  /** Of `replay`: the change with this number of the journal. */
  seq: { type: 'string' },
  /** Of `replay`: the changes from this number of the journal on. */
  from: { type: 'string' },
  /** Of `replay`, beside `--from`: the last one. */
  to: { type: 'string' },
} as const

/** The most deliveries of an endpoint that are printed. */
const MAX_PRINTED = 1000

/** The endpoints of the config, by name. */
type Endpoints = ReadonlyMap<string, SubscribedJournal>

const ACTS: Readonly<
  Record<string, (endpoints: Endpoints, name: string | undefined, options: CommandLine) => Promise<number>>
> = {
  /** Prints how far each endpoint has come, or deliveries that have failed. */
  list,
  /** Sends messages of an endpoint again, by the service that runs, or by the next one. @param ENDPOINT */
  replay,
}

const USAGE =
  'Write: daybook webhooks list [--pending|--parked], or daybook webhooks replay ENDPOINT --seq N, --from N --to N, or --parked.'

/**
 * `daybook webhooks list|replay`: what the plugin `webhooks` could not deliver. A service may run meanwhile.
 *
 * @throws {UsageError} when the command line is wrong; {StartupError} when there is no such endpoint
 */
export async function webhooks(args: readonly string[]): Promise<number> {
  const options = readCommandOptions(args, OPTIONS)
  const [act = '', name, ...others] = options.positionals
  const run = Object.hasOwn(ACTS, act) ? ACTS[act] : undefined
  if (others.length > 0 || !run || (run === replay) !== (name !== undefined)) throw new UsageError(USAGE)
  // Awaited, as the store is closed when this returns.
  await using opened = await openHost(options)
  return await run(endpointsOf(opened.model, opened.store), name, options)
}

function endpointsOf({ plugins }: Model, store: Store): Endpoints {
  const plugin = plugins.find(({ name }) => name === 'webhooks')
  const { endpoints = [] } = (plugin?.options ?? {}) as { readonly endpoints?: readonly string[] }
  return new Map(endpoints.map((name) => [name, subscribedJournal(store, subscriptionName('webhooks', name))]))
}

function requireEndpoint(endpoints: Endpoints, name: string): SubscribedJournal {
  const found = endpoints.get(name)
  if (found) return found
  const names = [...endpoints.keys()]
  const meant = nearest(name, names)
  const advice = meant ? `Did you mean ${meant}?` : `The config has: ${names.join(', ') || 'none'}.`
  throw new StartupError(`There is no webhook endpoint "${name}". ${advice}`)
}

async function list(endpoints: Endpoints, _name: string | undefined, options: CommandLine): Promise<number> {
  const only = options.text('endpoint')
  const shown: Endpoints = only === undefined ? endpoints : new Map([[only, requireEndpoint(endpoints, only)]])
  const states = (['pending', 'parked'] as const).filter((state) => options.flag(state))
  const rows = states.length > 0 ? await failedRows(shown, states) : await statusRows(shown)
  const objects = rows.map(({ json }) => json)
  const text = options.flag('json')
    ? `${JSON.stringify(objects)}\n`
    : table([headOf(states), ...rows.map(({ cells }) => cells)])
  process.stdout.write(text)
  return 0
}

/** A line of a list, for people and for programs. */
interface Row {
  readonly cells: readonly string[]
  readonly json: object
}

const headOf = (states: readonly DeliveryState[]): readonly string[] =>
  states.length > 0
    ? ['ENDPOINT', 'SEQ', 'ACTION', 'DOCUMENT', 'STATE', 'ATTEMPTS', 'FAILED AT', 'NEXT ATTEMPT', 'REASON']
    : ['ENDPOINT', 'SEQ', 'BEHIND', 'PENDING', 'PARKED']

async function statusRows(endpoints: Endpoints): Promise<readonly Row[]> {
  const statuses = [...endpoints].map(async ([endpoint, journal]) => statusRow(endpoint, await journal.status()))
  return Promise.all(statuses)
}

function statusRow(endpoint: string, status: SubscriptionStatus): Row {
  const { seq, head, pending, parked } = status
  return { cells: [endpoint, ...[seq, head - seq, pending, parked].map(String)], json: { endpoint, ...status } }
}

async function failedRows(endpoints: Endpoints, states: readonly DeliveryState[]): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (const [endpoint, journal] of endpoints) {
    for (const state of states) {
      const found = await journal.deliveries({ state, limit: MAX_PRINTED })
      rows.push(...found.map((one) => failedRow(endpoint, state, one)))
    }
  }
  return rows
}

function failedRow(endpoint: string, state: DeliveryState, delivery: FailedDelivery): Row {
  const { seq, action, collection, id, attempts, failedAt, dueAt, reason } = delivery
  const document = `${collection}/${id}`
  return {
    cells: [
      endpoint,
      String(seq),
      action,
      document,
      state,
      String(attempts),
      failedAt ?? '',
      dueAt ?? '',
      reason ?? '',
    ],
    json: { endpoint, state, ...delivery },
  }
}

async function replay(endpoints: Endpoints, name: string | undefined, options: CommandLine): Promise<number> {
  const request = replayRequest(options)
  await requireEndpoint(endpoints, String(name)).replay(request)
  process.stdout.write(`${name} is sent them again by the service that runs, or by the next one.\n`)
  return 0
}

function replayRequest(options: CommandLine): ReplayRequest {
  const given = ['seq', 'from', 'parked'].filter((option) => options.has(option))
  if (given.length !== 1 || (options.has('to') && !options.has('from'))) throw new UsageError(USAGE)
  if (options.flag('parked')) return { parked: true }
  if (options.has('seq')) return { seq: seqOf(options, 'seq') }
  const from = seqOf(options, 'from')
  return options.has('to') ? { from, to: seqOf(options, 'to') } : { from }
}

function seqOf(options: CommandLine, option: string): number {
  const text = options.text(option) ?? ''
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text)
  throw new UsageError(`--${option} takes a number of the journal, such as 12.`)
}
