import { type Contributor, contributorTitle } from '../config/plugin.ts'
import type { ContentContext } from '../content/context.ts'
import { findDocumentModel } from '../content/drafts/index.ts'
import type { Subscriber } from '../journal/subscriber.ts'
import { Subscription } from '../journal/subscription.ts'
import type { DeliveryThrottle } from '../journal/throttle.ts'
import type { Log } from '../log.ts'
import { isStateAction, toWriteAction } from '../store/journal-actions.ts'
import type { JournalRow } from '../store/rows.ts'
import { GLOBALS } from '../store/tables/tables.ts'
import { createContributorContext } from './contributor-context.ts'
import type { CheckedSubscription } from './plugin-subscription.ts'
import { type AnyHooks, type HookedModel, hooksFor } from './write-hooks.ts'

/** Options of {@link Deliveries}. */
export interface DeliveriesParts {
  /** The default timeout of a delivery, in milliseconds. */
  readonly limitMs: number
  readonly pluginSubscriptions: readonly CheckedSubscription[]
  /** Delays the subscriptions of plugins while clients keep the process busy. */
  readonly throttle: DeliveryThrottle
}

/** Delivers stored changes to hooks of the config and of plugins, each of which has its own subscription. */
export class Deliveries {
  readonly #subscriptions: readonly Subscription[]

  private constructor(subscriptions: readonly Subscription[]) {
    this.#subscriptions = subscriptions
  }

  /** Starts the delivery to each contributor with an `afterCommit` hook, and to subscriptions of plugins. */
  static async start(
    context: ContentContext,
    log: Log,
    { limitMs, pluginSubscriptions, throttle }: DeliveriesParts,
  ): Promise<Deliveries> {
    const throttled = pluginSubscriptions.map(({ subscriber, times }) => ({
      subscriber: { ...subscriber, throttle },
      times,
    }))
    const hookSubscriptions = createHookSubscribers(context, log).map((subscriber) => ({ subscriber, times: {} }))
    const subscriptions: Subscription[] = []
    for (const { subscriber, times } of [...hookSubscriptions, ...throttled])
      subscriptions.push(await Subscription.start(context.store, subscriber, log, { deliveryMs: limitMs, ...times }))
    return new Deliveries(subscriptions)
  }

  async close(): Promise<void> {
    await Promise.all(this.#subscriptions.map((subscription) => subscription.close()))
  }
}

type AfterCommit = NonNullable<AnyHooks['afterCommit']>

function createHookSubscribers(context: ContentContext, log: Log): readonly Subscriber[] {
  const { model } = context
  return model.contributors.flatMap((contributor) => {
    const hooks = new Map<HookedModel, readonly AfterCommit[]>()
    for (const document of [...model.collections.values(), ...model.globals.values()]) {
      const afterCommits = hooksFor(contributor, document).flatMap(({ afterCommit }) => afterCommit ?? [])
      if (afterCommits.length > 0) hooks.set(document, afterCommits)
    }
    return hooks.size > 0 ? [toSubscriber(context, contributor, log, hooks)] : []
  })
}

function toSubscriber(
  context: ContentContext,
  contributor: Contributor,
  log: Log,
  hooks: ReadonlyMap<HookedModel, readonly AfterCommit[]>,
): Subscriber {
  const { model } = context
  const contributorContext = createContributorContext(contributor, context, log)
  const getHooks = (record: JournalRow): readonly AfterCommit[] => {
    const document = findDocumentModel(model, record)
    return (document && hooks.get(document)) ?? []
  }
  return {
    name: contributorTitle(contributor),
    wants: (record) => isStateAction(record.action) && getHooks(record).length > 0,
    deliver: async (record, { before, after }, signal) => {
      const states = { before: (await before()) ?? null, after: (await after()) ?? null }
      const event = { ...toEvent(record), ...states, ...contributorContext, signal }
      for (const hook of getHooks(record)) await hook(event as never)
      return true
    },
  }
}

function toEvent({ action, collection, id, seq, at, actor }: JournalRow) {
  const entry = { action: isStateAction(action) ? toWriteAction(action) : action, collection, id }
  const change = collection === GLOBALS ? { action: 'update', global: id } : entry
  return { ...change, seq, at, actor }
}
