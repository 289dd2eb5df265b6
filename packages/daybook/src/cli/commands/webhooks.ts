import { StartupError } from '../../errors.ts'
import type { ReplayRequest } from '../../journal/replay.ts'
import type { DeliveryState } from '../../journal/stored-deliveries.ts'
import type { Model } from '../../model/model.ts'
import { findNearest } from '../../nearest.ts'
import type { FailedDelivery, SubscribedJournal, SubscriptionStatus } from '../../plugin-host/journal-subscription.ts'
import { createSubscribedJournal, getSubscriptionName } from '../../plugin-host/plugin-subscription.ts'
import type { Store } from '../../store/store.ts'
import { CliCommand, type CommonOptions, defineOption, UsageError } from '../command.ts'
import { openCommandStore } from '../open-store.ts'
import { formatTable, printLine } from '../output.ts'

interface ListOptions extends CommonOptions {
  readonly endpoint?: string
  readonly pending?: boolean
  readonly parked?: boolean
  readonly json?: boolean
}

interface ReplayOptions extends CommonOptions {
  readonly seq?: string
  readonly from?: string
  readonly to?: string
  readonly parked?: boolean
}

/** The largest number of deliveries of an endpoint that are printed. */
const MAX_PRINTED = 1000

/** The endpoints of the config, by name. */
type Endpoints = ReadonlyMap<string, SubscribedJournal>

/** `daybook webhooks`: the failed deliveries of the plugin `webhooks`. A service may run on the store. */
export const webhooks: CliCommand = new CliCommand('webhooks')
  .addCommand(
    new CliCommand('list')
      .description('Prints the progress of each endpoint, or failed deliveries.')
      .takes(
        defineOption('--endpoint <NAME>', 'Lists only this endpoint.'),
        defineOption('--pending', 'Lists failed deliveries that are retried.'),
        defineOption('--parked', 'Lists failed deliveries that are no longer retried.'),
        defineOption('--json', 'Prints JSON, for programs.'),
      )
      .runs(async ({ endpoint, json: isJson, ...options }: ListOptions) => {
        await using opened = await openCommandStore(options)
        const all = listEndpoints(opened.model, opened.context.store)
        const selected = endpoint === undefined ? all : new Map([[endpoint, requireEndpoint(all, endpoint)]])
        const states = (['pending', 'parked'] as const).filter((state) => options[state])
        const rows = states.length > 0 ? await listFailedRows(selected, states) : await listStatusRows(selected)
        const columnNames = states.length > 0 ? FAILED_HEAD : STATUS_HEAD
        const text = isJson
          ? `${JSON.stringify(rows.map(({ json }) => json))}\n`
          : formatTable([columnNames, ...rows.map(({ cells }) => cells)])
        process.stdout.write(text)
        return 0
      }),
  )
  .addCommand(
    new CliCommand('replay')
      .description('Sends messages of an endpoint again, as soon as a service runs.')
      .argument('<ENDPOINT>')
      .takes(
        defineOption('--seq <N>', 'Sends the change with this number of the journal.'),
        defineOption('--from <SEQ>', 'Sends the changes from this number of the journal on.'),
        defineOption('--to <SEQ>', 'With `--from`: the last change.'),
        defineOption('--parked', 'Sends failed deliveries that are no longer retried, up to 1,000 at once.'),
      )
      .runs(async (name: string, options: ReplayOptions) => {
        const request = readReplay(options)
        await using opened = await openCommandStore(options)
        await requireEndpoint(listEndpoints(opened.model, opened.context.store), name).replay(request)
        printLine(`The messages of ${name} will be sent again as soon as a service runs.`)
        return 0
      }),
  )

function readReplay({ seq, from, to, parked }: ReplayOptions): ReplayRequest {
  const selections = [seq, from, parked].filter((option) => option !== undefined)
  if (selections.length !== 1 || (to !== undefined && from === undefined))
    throw new UsageError(
      'One of --seq, --from and --parked is required. Write: daybook webhooks replay ENDPOINT --seq N, --from N --to N, or --parked.',
    )
  if (parked) return { parked }
  if (seq !== undefined) return { seq: readSeq('--seq', seq) }
  return { from: readSeq('--from', from), ...(to === undefined ? {} : { to: readSeq('--to', to) }) }
}

function readSeq(flag: string, text = ''): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text)
  throw new UsageError(`${flag} must be a number of the journal, such as 12.`)
}

function listEndpoints({ plugins }: Model, store: Store): Endpoints {
  const plugin = plugins.find(({ name }) => name === 'webhooks')
  const { endpoints = [] } = (plugin?.options ?? {}) as { readonly endpoints?: readonly string[] }
  return new Map(endpoints.map((name) => [name, createSubscribedJournal(store, getSubscriptionName('webhooks', name))]))
}

function requireEndpoint(endpoints: Endpoints, name: string): SubscribedJournal {
  const journal = endpoints.get(name)
  if (journal) return journal
  const names = [...endpoints.keys()]
  const similar = findNearest(name, names)
  const advice = similar ? `Did you mean ${similar}?` : `The config has: ${names.join(', ') || 'none'}.`
  throw new StartupError(`The webhook endpoint "${name}" does not exist. ${advice}`)
}

/** A row of a list, as cells of a table and as JSON. */
interface Row {
  readonly cells: readonly string[]
  readonly json: object
}

const STATUS_HEAD = ['ENDPOINT', 'SEQ', 'BEHIND', 'PENDING', 'PARKED']
const FAILED_HEAD = [
  'ENDPOINT',
  'SEQ',
  'ACTION',
  'DOCUMENT',
  'STATE',
  'ATTEMPTS',
  'FAILED AT',
  'NEXT ATTEMPT',
  'REASON',
]

async function listStatusRows(endpoints: Endpoints): Promise<readonly Row[]> {
  const statuses = [...endpoints].map(async ([endpoint, journal]) => toStatusRow(endpoint, await journal.status()))
  return Promise.all(statuses)
}

function toStatusRow(endpoint: string, status: SubscriptionStatus): Row {
  const { seq, head, pending, parked } = status
  return { cells: [endpoint, ...[seq, head - seq, pending, parked].map(String)], json: { endpoint, ...status } }
}

async function listFailedRows(endpoints: Endpoints, states: readonly DeliveryState[]): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (const [endpoint, journal] of endpoints) {
    for (const state of states) {
      const deliveries = await journal.deliveries({ state, limit: MAX_PRINTED })
      rows.push(...deliveries.map((delivery) => toFailedRow(endpoint, state, delivery)))
    }
  }
  return rows
}

function toFailedRow(endpoint: string, state: DeliveryState, delivery: FailedDelivery): Row {
  const { seq, action, collection, id, attempts, failedAt, dueAt, reason } = delivery
  const document = `${collection}/${id}`
  const times = [failedAt ?? '', dueAt ?? '']
  return {
    cells: [endpoint, String(seq), action, document, state, String(attempts), ...times, reason ?? ''],
    json: { endpoint, state, ...delivery },
  }
}
