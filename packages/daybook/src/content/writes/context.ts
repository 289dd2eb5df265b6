import type { CollectionModel, DocumentModel, GlobalModel } from '../../model/model.ts'
import type { Access } from '../access/access.ts'
import { type CallerScope, resolveCallerScope } from '../access/caller-scope.ts'
import { type ContentContext, getActor, toAuthor } from '../context.ts'
import { Defaults } from '../documents/defaults.ts'
import type { Values } from '../documents/document.ts'
import type { FieldWriteTools } from '../documents/prepare-fields.ts'
import { DEFAULT_LOCALE } from '../locales/locale.ts'
import { type CanonicalDocument, localizeEach } from '../locales/localized.ts'
import type { DocumentHooks, WriteHooks } from './hooks.ts'
import { dryRun, type Transact } from './pipeline.ts'

/** The caller and the locale of a write, shared by all writes of a batch. */
export interface WriteContext {
  readonly content: ContentContext
  readonly access: Access
  readonly actor: string
  /** The author that documents name in `createdBy` and `updatedBy`; `null` for anonymous callers. */
  readonly author: string | null
  /** The locale that is written; `undefined` if the config names none. */
  readonly locale: string | undefined
  /** The entries that the caller may refer to. */
  readonly scope: CallerScope
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

export async function createWriteContext(
  context: ContentContext,
  access: Access,
  {
    locale = context.model.locales?.default,
    transact = (work, options) => context.store.transaction(work, options),
    isDry = false,
  }: WriteSettings = {},
): Promise<WriteContext> {
  const scope = await resolveCallerScope(access, DEFAULT_LOCALE)
  const { hooks } = context
  const run = isDry ? dryRun(transact) : transact
  const actor = getActor(access.caller)
  const author = toAuthor(actor)
  return {
    content: context,
    access,
    actor,
    author,
    locale,
    scope,
    transact: hooks ? hooks.wrap(run) : run,
    isDry,
  }
}

export interface HookedDocument {
  readonly document: CollectionModel | GlobalModel
  readonly runner: WriteHooks
  readonly hooks: DocumentHooks
}

/** Returns the hooks of a document; `undefined` if it has none of these kinds. */
export function hooksFor(
  { content: { hooks: runner } }: WriteContext,
  document: CollectionModel | GlobalModel,
  ...kinds: readonly (keyof DocumentHooks)[]
): HookedDocument | undefined {
  const hooks = runner?.get(document)
  return runner && hooks && kinds.some((kind) => hooks[kind].length > 0) ? { document, runner, hooks } : undefined
}

/**
 * Returns the tools that create values which a write does not name: defaults, derived fields and keys of items.
 *
 * @param storedDocument the document that is updated; `undefined` for a new one
 */
export function createFieldTools(
  { content, access, locale }: WriteContext,
  document: DocumentModel,
  storedDocument?: CanonicalDocument,
): FieldWriteTools {
  const { tools, model } = content
  let defaults: Defaults | undefined
  let documents: readonly Values[] | undefined
  return {
    ...tools,
    get defaults() {
      defaults ??= new Defaults(document, access.callerFor(document))
      return defaults
    },
    localeDocuments: () => {
      documents ??= storedDocument ? localizeEach(document, storedDocument, locale, model.locales?.default) : []
      return documents
    },
  }
}
