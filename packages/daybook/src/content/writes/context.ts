import type { CollectionModel, DocumentModel } from '../../model/model.ts'
import type { AccessFilter } from '../../query/where.ts'
import type { Reader } from '../../store/reads/read.ts'
import type { Access } from '../access/access.ts'
import { type ReaderScope, readerScope } from '../access/reader-scope.ts'
import { requirementsOf } from '../access/requirements.ts'
import { Defaults } from '../defaults.ts'
import type { SettleTools, Values } from '../document.ts'
import { actorOf, type Engine, personOf } from '../engine.ts'
import { DEFAULT_LOCALE } from '../locales/locale.ts'
import { type Canonical, localeVersions } from '../locales/localized.ts'
import { dryRun, type Transact } from './pipeline.ts'

/** The caller and the locale of a write; the same for all writes of a batch. */
export interface WriteContext {
  readonly engine: Engine
  /** The access of the caller. */
  readonly access: Access
  /** The actor that the journal records. */
  readonly actor: string
  /** The same as documents name it; `null`: nobody is known. */
  readonly person: string | null
  /** The locale that is written; `undefined`: the config names none. */
  readonly locale: string | undefined
  /** The entries that the caller may refer to. */
  readonly scope: ReaderScope
  /** How writes reach the store. */
  readonly transact: Transact
  /** True if nothing is stored. */
  readonly isDry: boolean
}

/** The options of a write besides its caller. */
interface WriteSettings {
  /** @default the config's */
  readonly locale?: string | undefined
  /** @default a transaction for each write */
  readonly transact?: Transact
  /** Whether nothing is stored. @default false */
  readonly isDry?: boolean
}

export async function writeContext(
  engine: Engine,
  access: Access,
  { locale = engine.model.locales?.default, transact = storing(engine), isDry = false }: WriteSettings = {},
): Promise<WriteContext> {
  const scope = await readerScope(access, DEFAULT_LOCALE)
  const { hooks } = engine
  const carried = isDry ? dryRun(transact) : transact
  const own = hooks ? hooks.within(carried) : carried
  const actor = actorOf(access.caller)
  return { engine, access, actor, person: personOf(actor), locale, scope, transact: own, isDry }
}

/**
 * The functions that create the values of a document that a write does not name.
 *
 * @param stored the document that is changed
 */
export function settleTools(
  { engine, access, locale }: WriteContext,
  document: DocumentModel,
  stored?: Canonical,
): SettleTools {
  const { tools, model } = engine
  let versions: readonly Values[] | undefined
  return {
    ...tools,
    defaults: new Defaults(document, access.callerFor(document)),
    versions: () => {
      versions ??= stored ? localeVersions(document, stored, locale, model.locales?.default) : []
      return versions
    },
  }
}

const storing =
  (engine: Engine): Transact =>
  (work, options) =>
    engine.store.transaction(work, options)

/**
 * Checks a stored new entry against the filter of the rule that admitted it.
 *
 * @throws UNAUTHORIZED; FORBIDDEN, which names what the entry would have to hold in the fields that the caller may read
 */
export async function authorizeNewEntry(
  { access, scope }: WriteContext,
  read: Reader,
  collection: CollectionModel,
  id: string,
  filter: AccessFilter | undefined,
): Promise<void> {
  if (!filter) return
  await access.requireMatch(read, collection, id, filter, () => requirementsOf(filter.where, collection, scope))
}
