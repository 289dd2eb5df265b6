import { type Contributor, contributorTitle } from '../config/plugin.ts'
import type { Engine } from '../content/engine.ts'
import type { Subscriber } from '../journal/subscriber.ts'
import { Subscription } from '../journal/subscription.ts'
import type { Log } from '../log.ts'
import type { Model } from '../model/model.ts'
import { isStateAction, writeActionOf } from '../store/journal-actions.ts'
import type { JournalRow } from '../store/reads/rows.ts'
import { GLOBALS } from '../store/tables/tables.ts'
import { pluginLog } from './plugin-log.ts'
import { systemContent } from './system-content.ts'
import { type AnyHooks, type HookedModel, hooksOf } from './write-hooks.ts'

/** Tells the config's hooks and those of plugins of what is stored: each contributor has a subscription of its own. */
export class Deliveries {
  readonly #subscriptions: readonly Subscription[]

  private constructor(subscriptions: readonly Subscription[]) {
    this.#subscriptions = subscriptions
  }

  /**
   * Begins to deliver to each contributor with an `afterCommit` hook.
   *
   * @param limitMs how long a hook may take, in milliseconds
   */
  static async start(engine: Engine, log: Log, limitMs: number): Promise<Deliveries> {
    const subscriptions: Subscription[] = []
    for (const subscriber of subscribers(engine, log))
      subscriptions.push(await Subscription.start(engine.store, subscriber, log, { deliveryMs: limitMs }))
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
  const given = {
    asSystem: systemContent(contributor, engine),
    options: contributor.options ?? {},
    log: pluginLog(log, contributor),
  }
  const hooksFor = (record: JournalRow): readonly AfterCommit[] => {
    const document = documentOf(model, record)
    return (document && hooks.get(document)) ?? []
  }
  return {
    name: contributorTitle(contributor),
    wants: (record) => isStateAction(record.action) && hooksFor(record).length > 0,
    deliver: async (record, { before, after }, signal) => {
      const states = { before: (await before()) ?? null, after: (await after()) ?? null }
      const event = { ...eventOf(record), ...states, ...given, signal }
      for (const hook of hooksFor(record)) await hook(event as never)
      return true
    },
  }
}

/** The document of a record, if the config still has its collection or global. */
function documentOf({ collections, globals }: Model, { collection, id }: JournalRow): HookedModel | undefined {
  return collection === GLOBALS ? globals.get(id) : collections.get(collection)
}

function eventOf({ action, collection, id, seq, at, actor }: JournalRow) {
  const entry = { action: isStateAction(action) ? writeActionOf(action) : action, collection, id }
  const what = collection === GLOBALS ? { action: 'update', global: id } : entry
  return { ...what, seq, at, actor }
}
