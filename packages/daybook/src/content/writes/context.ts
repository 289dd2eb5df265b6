import type { CollectionModel, DocumentModel, GlobalModel } from '../../model/model.ts'
import type { Access } from '../access/access.ts'
import { type CallerScope, resolveCallerScope } from '../access/caller-scope.ts'
import { type ContentContext, getActor, toAuthor } from '../context.ts'
import { Defaults } from '../documents/defaults.ts'
import type { FieldWriteTools, Values } from '../documents/document.ts'
import { DEFAULT_LOCALE } from '../locales/locale.ts'
import { type CanonicalDocument, localizeEach } from '../locales/localized.ts'
import type { DocumentHooks, WriteHooks } from './hooks.ts'
import { dryRun, type Transact } from './pipeline.ts'

/** The caller and the locale of a write, shared by all writes of a batch. */
export interface WriteContext {
  readonly services: ContentContext
  /** The access of the caller. */
  readonly access: Access
  /** The actor that the journal records. */
  readonly actor: string
  /** The same actor as documents name it; `null` if nobody is known. */
  readonly author: string | null
  /** The locale that is written; `undefined` if the config names none. */
  readonly locale: string | undefined
  /** The entries that the caller may refer to. */
  readonly scope: CallerScope
  /** Runs the transactions of the writes. */
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
  /** Stores nothing. @default false */
  readonly isDry?: boolean
}

/** Creates the context of the writes of a caller. */
export async function createWriteContext(
  engine: ContentContext,
  access: Access,
  {
    locale = engine.model.locales?.default,
    transact = (work, options) => engine.store.transaction(work, options),
    isDry = false,
  }: WriteSettings = {},
): Promise<WriteContext> {
  const scope = await resolveCallerScope(access, DEFAULT_LOCALE)
  const { hooks } = engine
  const run = isDry ? dryRun(transact) : transact
  const actor = getActor(access.caller)
  const person = toAuthor(actor)
  return {
    services: engine,
    access,
    actor,
    author: person,
    locale,
    scope,
    transact: hooks ? hooks.wrap(run) : run,
    isDry,
  }
}

/** The hooks of a document, and the object that runs them. */
export interface HookedDocument {
  readonly document: CollectionModel | GlobalModel
  readonly runner: WriteHooks
  readonly hooks: DocumentHooks
}

/** Returns the hooks of a document if it has any of these kinds. */
export function hooksFor(
  { services: { hooks: runner } }: WriteContext,
  document: CollectionModel | GlobalModel,
  ...kinds: readonly (keyof DocumentHooks)[]
): HookedDocument | undefined {
  const hooks = runner?.get(document)
  return runner && hooks && kinds.some((kind) => hooks[kind].length > 0) ? { document, runner, hooks } : undefined
}

/**
 * Returns the tools that create values which a write does not name: defaults, generated values and keys of items.
 *
 * @param stored the document that is changed; `undefined` for a new one
 */
export function createFieldTools(
  { services: engine, access, locale }: WriteContext,
  document: DocumentModel,
  stored?: CanonicalDocument,
): FieldWriteTools {
  const { tools, model } = engine
  let defaults: Defaults | undefined
  let versions: readonly Values[] | undefined
  return {
    ...tools,
    get defaults() {
      defaults ??= new Defaults(document, access.callerFor(document))
      return defaults
    },
    localeDocuments: () => {
      versions ??= stored ? localizeEach(document, stored, locale, model.locales?.default) : []
      return versions
    },
  }
}
