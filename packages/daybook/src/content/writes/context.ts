import type { Caller } from '../../auth/adapter.ts'
import type { QueryScope } from '../../query/where.ts'
import { queryScope } from '../access/access.ts'
import { actorOf, type Engine } from '../engine.ts'
import { DEFAULT_LOCALE } from '../locales/locale.ts'
import type { Transact } from './prepared.ts'

/** For whom something is written, and in which language; the same for all writes of a batch. */
export interface WriteContext {
  readonly engine: Engine
  readonly caller: Caller
  /** Who the journal says it was. */
  readonly actor: string
  /** The locale that is written; `undefined`: the config names none. */
  readonly locale: string | undefined
  /** What the caller may see, and so refer to. */
  readonly scope: QueryScope
  /** How writes reach the store. */
  readonly transact: Transact
}

/** What a write says besides who writes. */
interface WriteSettings {
  /** @default the config's */
  readonly locale?: string | undefined
  /** @default a transaction for each write */
  readonly transact?: Transact
}

export async function writeContext(
  engine: Engine,
  caller: Caller,
  { locale = engine.model.locales?.default, transact = (work) => engine.store.transaction(work) }: WriteSettings = {},
): Promise<WriteContext> {
  const scope = await queryScope(engine.model, caller, DEFAULT_LOCALE)
  return { engine, caller, actor: actorOf(caller), locale, scope, transact }
}
