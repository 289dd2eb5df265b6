import { type Contributor, contributorTitle } from '../config/plugin.ts'
import { CallerContent } from '../content/caller-content.ts'
import type { Engine } from '../content/engine.ts'
import {
  type ChangeEvent,
  type DocumentHooks,
  hookedName,
  type ValidateEvent,
  type WriteEvent,
  WriteHooks,
} from '../content/hooks.ts'
import type { Log } from '../log.ts'
import type { CollectionModel, GlobalModel, Model } from '../model/model.ts'
import type { PluginHooks } from './hooks.ts'
import { pluginLog } from './plugin-log.ts'
import { systemContent } from './system-content.ts'
import { toValidators } from './validators.ts'

/** What hooks of writes need of the service. */
export interface HookHost {
  readonly model: Model
  readonly log: Log
  /** The engine that runs the hooks. */
  engine(): Engine
  /** How long a hook may take, in milliseconds. */
  readonly limitMs: number
}

/** The hooks of the config and of all plugins that run with a write, and the validators; `undefined`: there are none. */
export function writeHooks(host: HookHost): WriteHooks | undefined {
  const { model, limitMs } = host
  const documents = new Map<string, DocumentHooks>()
  for (const document of [...model.collections.values(), ...model.globals.values()]) {
    const all = model.contributors.flatMap((contributor) =>
      hooksOf(contributor, document).map((hooks) => toDocumentHooks(host, contributor, document, hooks)),
    )
    const hooks = {
      beforeValidate: all.flatMap((one) => one.beforeValidate),
      beforeChange: all.flatMap((one) => one.beforeChange),
      validate: toValidators(document, ({ store, access }) => new CallerContent(host.engine().on(store), () => access)),
    }
    if (Object.values(hooks).some((own) => own.length > 0))
      documents.set(hookedName(document.kind, document.key), hooks)
  }
  return documents.size > 0 ? new WriteHooks(documents, limitMs) : undefined
}

/** A collection or a global that hooks belong to. */
export type HookedModel = CollectionModel | GlobalModel

/** The hooks that a contributor has for a document: those for all of its kind, its own, and those written with the document. */
export function hooksOf(contributor: Contributor, { kind, key }: HookedModel): readonly AnyHooks[] {
  const { hooks = {}, [`${kind}s` as const]: documents = {} } = contributor
  const { [`${kind}s` as const]: own = {} } = hooks as PluginHooks
  const named = ['*', key].flatMap((name) => (Object.hasOwn(own, name) ? [own[name] as AnyHooks] : []))
  const written = Object.hasOwn(documents, key) ? (documents[key] as { readonly hooks?: AnyHooks }).hooks : undefined
  return written ? [...named, written] : named
}

/** Hooks whose document is not known to the compiler. */
export interface AnyHooks {
  readonly beforeValidate?: (event: never) => unknown
  readonly beforeChange?: (event: never) => unknown
  readonly afterCommit?: (event: never) => unknown
}

function toDocumentHooks(
  host: HookHost,
  contributor: Contributor,
  document: HookedModel,
  { beforeValidate, beforeChange }: AnyHooks,
): Omit<DocumentHooks, 'validate'> {
  const owner = contributorTitle(contributor)
  const validate = (event: ValidateEvent): unknown => {
    const { id, data } = event
    const named = document.kind === 'collection' && id !== undefined ? { id } : {}
    return beforeValidate?.({ ...writeEvent(host, contributor, document, event), ...named, data } as never)
  }
  const change = (event: ChangeEvent): unknown => {
    const { id, before = null, after = null } = event
    const named = document.kind === 'collection' ? { id } : {}
    return beforeChange?.({ ...writeEvent(host, contributor, document, event), ...named, before, after } as never)
  }
  return {
    beforeValidate: beforeValidate ? [{ owner, run: validate }] : [],
    beforeChange: beforeChange ? [{ owner, run: change }] : [],
  }
}

/** What every hook of a write is given. */
function writeEvent(
  { engine, log }: HookHost,
  contributor: Contributor,
  { kind, key }: HookedModel,
  event: WriteEvent,
) {
  const { action, access, locale, store } = event
  const own = engine().on(store)
  return {
    // A global is there before anything was written to it.
    action: kind === 'global' ? 'update' : action,
    [kind]: key,
    locale,
    identity: access.caller.identity,
    content: new CallerContent(own, () => access),
    asSystem: systemContent(contributor, own),
    options: contributor.options ?? {},
    log: pluginLog(log, contributor),
  }
}
