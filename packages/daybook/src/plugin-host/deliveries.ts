import { type Contributor, contributorTitle } from '../config/plugin.ts'
import type { Engine } from '../content/engine.ts'
import { findDocumentModel } from '../content/history/historical-access.ts'
import type { Pace } from '../journal/pace.ts'
import type { Subscriber } from '../journal/subscriber.ts'
import { Subscription } from '../journal/subscription.ts'
import type { Log } from '../log.ts'
import { isStateAction, writeActionOf } from '../store/journal-actions.ts'
import type { JournalRow } from '../store/reads/rows.ts'
import { GLOBALS } from '../store/tables/tables.ts'
import { contributorContext } from './contributor-context.ts'
import type { CheckedSubscription } from './plugin-journal.ts'
import { type AnyHooks, type HookedModel, hooksOf } from './write-hooks.ts'

/** What deliveries depend on. */
export interface DeliveriesParts {
  /** How long a delivery may take where the subscription does not say, in milliseconds. */
  readonly limitMs: number
  /** The subscriptions of plugins. */
  readonly ofPlugins: readonly CheckedSubscription[]
  /** Holds those back while clients keep the process busy. */
  readonly pace: Pace
}

/** Tells the config's hooks and those of plugins of what is stored: each contributor has a subscription of its own. */
export class Deliveries {
  readonly #subscriptions: readonly Subscription[]

  private constructor(subscriptions: readonly Subscription[]) {
    this.#subscriptions = subscriptions
  }

  /**
   * Begins to deliver to each contributor with an `afterCommit` hook, and to subscriptions of plugins.
   */
  static async start(engine: Engine, log: Log, { limitMs, ofPlugins, pace }: DeliveriesParts): Promise<Deliveries> {
    const paced = ofPlugins.map(({ subscriber, times }) => ({ subscriber: { ...subscriber, pace }, times }))
    const ofHooks = subscribers(engine, log).map((subscriber) => ({ subscriber, times: {} }))
    const subscriptions: Subscription[] = []
    for (const { subscriber, times } of [...ofHooks, ...paced])
      subscriptions.push(await Subscription.start(engine.store, subscriber, log, { deliveryMs: limitMs, ...times }))
    return new Deliveries(subscriptions)
  }

  async close(): Promise<void> {
    await Promise.all(this.#subscriptions.map((subscription) => subscription.close()))
  }
}

type AfterCommit = NonNullable<AnyHooks['afterCommit']>

function subscribers(engine: Engine, log: Log): readonly Subscriber[] {
  const { model } = engine
  return model.contributors.flatMap((contributor) => {
    const hooks = new Map<HookedModel, readonly AfterCommit[]>()
    for (const document of [...model.collections.values(), ...model.globals.values()]) {
      const own = hooksOf(contributor, document).flatMap(({ afterCommit }) => (afterCommit ? [afterCommit] : []))
      if (own.length > 0) hooks.set(document, own)
    }
    return hooks.size > 0 ? [toSubscriber(engine, contributor, log, hooks)] : []
  })
}

function toSubscriber(
  engine: Engine,
  contributor: Contributor,
  log: Log,
  hooks: ReadonlyMap<HookedModel, readonly AfterCommit[]>,
): Subscriber {
  const { model } = engine
  const context = contributorContext(contributor, engine, log)
  const hooksFor = (record: JournalRow): readonly AfterCommit[] => {
    const document = findDocumentModel(model, record)
    return (document && hooks.get(document)) ?? []
  }
  return {
    name: contributorTitle(contributor),
    wants: (record) => isStateAction(record.action) && hooksFor(record).length > 0,
    deliver: async (record, { before, after }, signal) => {
      const states = { before: (await before()) ?? null, after: (await after()) ?? null }
      const event = { ...eventOf(record), ...states, ...context, signal }
      for (const hook of hooksFor(record)) await hook(event as never)
      return true
    },
  }
}

function eventOf({ action, collection, id, seq, at, actor }: JournalRow) {
  const entry = { action: isStateAction(action) ? writeActionOf(action) : action, collection, id }
  const what = collection === GLOBALS ? { action: 'update', global: id } : entry
  return { ...what, seq, at, actor }
}
