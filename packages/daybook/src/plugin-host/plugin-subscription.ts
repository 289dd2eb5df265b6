import { ANONYMOUS, type Caller } from '../auth/adapter.ts'
import { ConfigError, type ConfigFault } from '../config/check-config.ts'
import type { Plugin } from '../config/plugin.ts'
import { Access } from '../content/access/access.ts'
import { resolveCallerScope } from '../content/access/caller-scope.ts'
import { UnrestrictedAccess } from '../content/access/unrestricted-access.ts'
import type { ContentContext } from '../content/context.ts'
import { getServedKeys } from '../content/documents/document.ts'
import { findDocumentModel, HistoricalAccess } from '../content/drafts/index.ts'
import { DEFAULT_LOCALE } from '../content/locales/locale.ts'
import { DaybookError } from '../errors.ts'
import { moveIssue } from '../issues.ts'
import { type ReplayRequest, requestReplay } from '../journal/replay.ts'
import {
  countDeliveries,
  type DeliveryState,
  listDeliveries,
  type StoredDelivery,
} from '../journal/stored-deliveries.ts'
import type { Subscriber, SubscriptionTimes } from '../journal/subscriber.ts'
import { readPosition } from '../journal/subscription-position.ts'
import type { CollectionModel } from '../model/model.ts'
import { unknownKey } from '../nearest.ts'
import { readConfigWhere } from '../query/rule-where.ts'
import type { Condition } from '../query/where.ts'
import { isStateAction, SIDE_ACTIONS, STATE_ACTIONS } from '../store/journal-actions.ts'
import type { JournalRow } from '../store/rows.ts'
import type { Store } from '../store/store.ts'
import { GLOBALS } from '../store/tables/tables.ts'
import { createSystemCaller } from './contributor-context.ts'
import type { HookData } from './hooks.ts'
import type {
  DeliveryQuery,
  FailedDelivery,
  JournalEvent,
  JournalSubscription,
  SubscribedCollection,
  SubscribedJournal,
} from './journal-subscription.ts'

/** Returns the name under which a subscription of a plugin is stored. */
export const getSubscriptionName = (plugin: string, name: string): string => `plugin ${plugin}: ${name}`

/** The checked filter of a subscription for a collection. */
interface ViewFilter {
  readonly where?: Condition
  readonly select?: ReadonlySet<string>
}

export interface CheckedSubscription {
  readonly subscriber: Subscriber
  readonly times: SubscriptionTimes
}

/**
 * Checks a subscription of a plugin against the model.
 *
 * @throws {ConfigError} with every fault; {TypeError} if the plugin may not read as the system
 */
export async function checkSubscription(
  plugin: Plugin,
  context: ContentContext,
  subscription: JournalSubscription,
): Promise<CheckedSubscription> {
  const path = `plugins.${plugin.name}.setup.${subscription.name}`
  const access = createAccess(plugin, context, subscription)
  const faults = [...findOptionFaults(subscription, context), ...findActionFaults(subscription)]
  const filters = new Map<string, ViewFilter>()
  for (const [key, options] of Object.entries(subscription.collections ?? {})) {
    const collection = context.model.collections.get(key)
    if (collection) filters.set(key, await readFilter(access(), collection, options, faults))
  }
  if (faults.length > 0) throw new ConfigError(faults.map((fault) => ({ ...fault, path: `${path}.${fault.path}` })))
  return { subscriber: toSubscriber(plugin, context, subscription, access, filters), times: subscription.times ?? {} }
}

function createAccess(plugin: Plugin, { model }: ContentContext, { reader, name }: JournalSubscription): () => Access {
  if (reader !== 'system') return () => new Access(model, ANONYMOUS)
  const caller: Caller = createSystemCaller(plugin, `the subscription ${name}`)
  return () => new UnrestrictedAccess(model, caller)
}

const NAME = /^[a-z][a-zA-Z0-9-]{0,47}$/
const MAX_CONCURRENCY = 64

function findOptionFaults(
  { name, collections = {}, globals = [], concurrency = 1 }: JournalSubscription,
  { model }: ContentContext,
) {
  const faults: ConfigFault[] = []
  const require = (isValid: boolean, path: string, message: string): void => {
    if (!isValid) faults.push({ path, message })
  }
  require(NAME.test(name), 'name', 'must be a name of at most 48 letters, digits and -, such as search-index')
  require(Number.isInteger(concurrency) &&
    concurrency >= 1 &&
    concurrency <= MAX_CONCURRENCY, 'concurrency', `must be a whole number from 1 to ${MAX_CONCURRENCY}`)
  for (const key of Object.keys(collections))
    require(model.collections.has(key), `collections.${key}`, unknownKey('a collection', key, [
      ...model.collections.keys(),
    ]))
  for (const key of globals)
    require(model.globals.has(key), `globals.${key}`, unknownKey('a global', key, [...model.globals.keys()]))
  return faults
}

function findActionFaults({ actions = [], reader }: JournalSubscription): readonly ConfigFault[] {
  const allowed: readonly string[] = reader === 'system' ? [...STATE_ACTIONS, ...SIDE_ACTIONS] : STATE_ACTIONS
  return actions
    .filter((action) => !allowed.includes(action))
    .map((action) => ({ path: `actions.${action}`, message: `is not an action. Use one of: ${allowed.join(', ')}` }))
}

async function readFilter(
  access: Access,
  collection: CollectionModel,
  { where, select }: SubscribedCollection,
  faults: ConfigFault[],
): Promise<ViewFilter> {
  const path = `collections.${collection.key}`
  if (select) faults.push(...findSelectFaults(access, collection, select, path))
  const filter = select ? { select: new Set(select) } : {}
  if (where === undefined) return filter
  const scope = await resolveCallerScope(access, DEFAULT_LOCALE)
  try {
    return { ...filter, where: readConfigWhere(where, collection, scope) }
  } catch (error) {
    if (!(error instanceof DaybookError) || !error.details.issues) throw error
    faults.push(...error.details.issues.map((issue) => moveIssue(path, issue)))
    return filter
  }
}

function findSelectFaults(
  access: Access,
  collection: CollectionModel,
  select: readonly string[],
  path: string,
): readonly ConfigFault[] {
  const { fields, systemKeys } = collection
  const hidden = getServedKeys(collection, access.hidden(collection))
  const readable = [
    ...systemKeys.before,
    ...fields.flatMap(({ servedKeys }) => servedKeys),
    ...systemKeys.after,
  ].filter((key) => !hidden.has(key))
  return select
    .filter((key) => !readable.includes(key))
    .map((key) => ({ path: `${path}.select.${key}`, message: unknownKey('a field', key, readable) }))
}

const NO_FILTER: ViewFilter = {}

function toSubscriber(
  { name: plugin }: Plugin,
  context: ContentContext,
  subscription: JournalSubscription,
  access: () => Access,
  filters: ReadonlyMap<string, ViewFilter>,
): Subscriber {
  return {
    name: getSubscriptionName(plugin, subscription.name),
    concurrency: subscription.concurrency,
    storesFailures: true,
    wants: (record) =>
      includesDocument(subscription, record) &&
      mayIncludeAction(subscription, record) &&
      findDocumentModel(context.model, record) !== undefined,
    deliver: async (record, _states, signal) => {
      const rights = access()
      const history = new HistoricalAccess(context, rights)
      const filter = filters.get(record.collection) ?? NO_FILTER
      const event = toEvent(context, rights, record, await readStates(history, record, filter), filter)
      if (!event || !includesAction(subscription, event.action, record.action)) return false
      await subscription.deliver({ ...event, signal })
      return true
    },
  }
}

/** True if a subscription includes the document of a record. */
function includesDocument({ collections, globals }: JournalSubscription, { collection, id }: JournalRow): boolean {
  if (!collections && !globals) return true
  if (collection === GLOBALS) return globals?.includes(id) ?? false
  return collections !== undefined && Object.hasOwn(collections, collection)
}

/** True if a subscription includes an action. Without a list, it includes all actions that change a document. */
const includesAction = ({ actions }: JournalSubscription, eventAction: string, recordAction: string): boolean =>
  !actions || actions.includes(eventAction) || actions.includes(recordAction)

/** True if a subscription may include a record. Only its states show if the change creates or deletes the document for the reader. */
function mayIncludeAction({ actions }: JournalSubscription, { action }: JournalRow): boolean {
  if (!actions) return isStateAction(action)
  return (
    actions.includes(action) ||
    (isStateAction(action) && actions.some((name) => name === 'create' || name === 'delete'))
  )
}

interface ViewedStates {
  readonly before: HookData | null
  readonly after: HookData | null
}

const NO_STATES: ViewedStates = { before: null, after: null }

/** Reads the states of a document. If its data was erased, only a change that removes the document has a state before. */
async function readStates(history: HistoricalAccess, record: JournalRow, { where }: ViewFilter): Promise<ViewedStates> {
  const after = await history.read(record, record.seq, where)
  if (after === undefined) return NO_STATES
  if (!isStateAction(record.action)) return { before: after, after }
  const before = await history.read(record, record.seq - 1, where)
  const mayHaveExisted = after !== null || record.action === 'delete' || record.action === 'unpublish'
  return { before: before === undefined && mayHaveExisted ? {} : (before ?? null), after }
}

/** Returns the event of a record, or `undefined` if the reader sees no change. */
function toEvent(
  { model }: ContentContext,
  access: Access,
  record: JournalRow,
  { before, after }: ViewedStates,
  { select }: ViewFilter,
): Omit<JournalEvent, 'signal'> | undefined {
  const document = findDocumentModel(model, record)
  if (!document || (!before && !after)) return undefined
  const { seq, at, actor, collection, id } = record
  return {
    action: getEventAction(record, before !== null, after !== null),
    ...(document.kind === 'global' ? { global: id } : { collection, id, ...slugFor(document, after ?? before) }),
    seq,
    at,
    ...(access.canSeeAuthors(document) ? { actor } : {}),
    before: pick(before, select),
    after: pick(after, select),
  }
}

function pick(values: HookData | null, select: ReadonlySet<string> | undefined): HookData | null {
  if (!values || !select) return values
  return Object.fromEntries(Object.entries(values).filter(([key]) => select.has(key)))
}

function getEventAction({ action, collection }: JournalRow, existed: boolean, exists: boolean): string {
  if (!exists) return 'delete'
  if (collection === GLOBALS) return 'update'
  return !existed && action === 'update' ? 'create' : action
}

function slugFor({ slug }: CollectionModel, values: HookData | null): { readonly slug?: string } {
  const value = slug && values?.[slug.key]
  return typeof value === 'string' ? { slug: value } : {}
}

/** Returns the functions with which a plugin inspects and replays its subscription. */
export function createSubscribedJournal(store: Store, name: string): SubscribedJournal {
  return Object.freeze({
    status: async () => ({
      seq: (await readPosition(store, name)).ranges[0].after,
      head: await store.journal.head(),
      pending: await countDeliveries(store.records, name, 'pending'),
      parked: await countDeliveries(store.records, name, 'parked'),
    }),
    deliveries: async (query: DeliveryQuery) =>
      (await listDeliveries(store.records, name, query)).map((delivery) => toFailed(delivery, query.state)),
    replay: (request: ReplayRequest) => requestReplay(store.records, name, request),
  })
}

function toFailed(delivery: StoredDelivery, state: DeliveryState): FailedDelivery {
  const { seq, action, collection, document: id, attempts, failedAt, dueAt, reason } = delivery
  return {
    seq,
    action,
    collection,
    id,
    attempts,
    failedAt: failedAt === null ? null : new Date(failedAt).toISOString(),
    dueAt: state === 'parked' ? null : new Date(Math.max(dueAt, Date.now())).toISOString(),
    reason,
  }
}
