import type { Plugin } from '../config/plugin.ts'
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

/** What hooks of writes need of the service. */
export interface HookHost {
  readonly model: Model
  readonly log: Log
  /** The engine that runs the hooks. */
  engine(): Engine
  /** How long a hook may take, in milliseconds. */
  readonly limitMs: number
}

/** The hooks of all plugins that run with a write; `undefined`: there are none. */
export function writeHooks(host: HookHost): WriteHooks | undefined {
  const { model, limitMs } = host
  const documents = new Map<string, DocumentHooks>()
  for (const document of [...model.collections.values(), ...model.globals.values()]) {
    const all = model.plugins.flatMap((plugin) =>
      hooksOf(plugin, document).map((hooks) => toDocumentHooks(host, plugin, document, hooks)),
    )
    const hooks = {
      beforeValidate: all.flatMap((one) => one.beforeValidate),
      beforeChange: all.flatMap((one) => one.beforeChange),
    }
    if (hooks.beforeValidate.length + hooks.beforeChange.length > 0)
      documents.set(hookedName(document.kind, document.key), hooks)
  }
  return documents.size > 0 ? new WriteHooks(documents, limitMs) : undefined
}

/** A collection or a global that hooks belong to. */
export type HookedModel = CollectionModel | GlobalModel

/** The hooks that a plugin has for a document: those for all of its kind, and its own. */
export function hooksOf({ hooks = {} }: Plugin, { kind, key }: HookedModel): readonly AnyHooks[] {
  const { [`${kind}s` as const]: own = {} } = hooks as PluginHooks
  return ['*', key].flatMap((name) => (Object.hasOwn(own, name) ? [own[name] as AnyHooks] : []))
}

/** Hooks whose document is not known to the compiler. */
export interface AnyHooks {
  readonly beforeValidate?: (event: never) => unknown
  readonly beforeChange?: (event: never) => unknown
  readonly afterCommit?: (event: never) => unknown
}

function toDocumentHooks(
  host: HookHost,
  plugin: Plugin,
  document: HookedModel,
  { beforeValidate, beforeChange }: AnyHooks,
): DocumentHooks {
  const owner = `plugin ${plugin.name}`
  const validate = (event: ValidateEvent): unknown => {
    const { id, data } = event
    const named = document.kind === 'collection' && id !== undefined ? { id } : {}
    return beforeValidate?.({ ...writeEvent(host, plugin, document, event), ...named, data } as never)
  }
  const change = (event: ChangeEvent): unknown => {
    const { id, before = null, after = null } = event
    const named = document.kind === 'collection' ? { id } : {}
    return beforeChange?.({ ...writeEvent(host, plugin, document, event), ...named, before, after } as never)
  }
  return {
    beforeValidate: beforeValidate ? [{ owner, run: validate }] : [],
    beforeChange: beforeChange ? [{ owner, run: change }] : [],
  }
}

/** What every hook of a write is given. */
function writeEvent({ engine, log }: HookHost, plugin: Plugin, { kind, key }: HookedModel, event: WriteEvent) {
  const { action, access, locale, store } = event
  const own = engine().on(store)
  return {
    // A global is there before anything was written to it.
    action: kind === 'global' ? 'update' : action,
    [kind]: key,
    locale,
    identity: access.caller.identity,
    content: new CallerContent(own, () => access),
    asSystem: systemContent(plugin, own),
    options: plugin.options ?? {},
    log: pluginLog(log, plugin.name),
  }
}
