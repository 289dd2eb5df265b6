import type { Identity } from '../auth/adapter.ts'
import type { DaybookConfig } from '../config/config.ts'
import type { CallerContent } from '../content/caller-content.ts'
import type { Log } from '../log.ts'

/** A value, now or later. */
export type Awaitable<T> = T | Promise<T>

/** Why a plugin goes beyond the rights of the one who asked. */
export interface SystemReason {
  /** Written into the journal beside the plugin's name; one line. */
  readonly reason: string
}

/** Makes a content handle that no access rule stops. Only for plugins with `system: true`. */
export type AsSystem<C extends DaybookConfig = DaybookConfig> = (why: SystemReason) => CallerContent<C>

/** Where a plugin writes what happens; each line names the plugin. */
export type PluginLog = Pick<Log, 'info' | 'warn' | 'error'>

/** The values of a document, by key. */
export type HookData = Readonly<Record<string, unknown>>

/** What every hook is given. */
interface HookEvent<O, C extends DaybookConfig> {
  /** The plugin's options. */
  readonly options: O
  readonly log: PluginLog
  readonly asSystem: AsSystem<C>
}

/** What a hook is given that runs with a write. */
interface WriteEvent<O, C extends DaybookConfig> extends HookEvent<O, C> {
  /** The locale that is written; `undefined`: the config names none. */
  readonly locale: string | undefined
  /** The identity of the one who writes; `null` without a session. */
  readonly identity: Identity | null
  /** Content with the rights of the one who writes. */
  readonly content: CallerContent<C>
}

/** A write of an entry, before it is validated. */
export interface BeforeValidateEntry<O, C extends DaybookConfig> extends WriteEvent<O, C> {
  readonly action: 'create' | 'update'
  readonly collection: string
  /** Of the entry to change; absent for a new one. */
  readonly id?: string
  /** What was sent. */
  readonly data: HookData
}

/** A write of an entry, in its transaction. */
export interface BeforeChangeEntry<O, C extends DaybookConfig, E = HookData> extends WriteEvent<O, C> {
  readonly action: 'create' | 'update' | 'delete'
  readonly collection: string
  readonly id: string
  /** The entry as it is stored; `null` for a new one. */
  readonly before: E | null
  /** The entry as it is about to be stored; `null` when it is deleted. */
  readonly after: E | null
}

/** A change that is stored. */
export interface AfterCommitEntry<O, C extends DaybookConfig, E = HookData> extends HookEvent<O, C> {
  readonly action: 'create' | 'update' | 'delete'
  readonly collection: string
  readonly id: string
  /** The number of the change in the journal: the same when it is delivered again. */
  readonly seq: number
  /** ISO 8601 in UTC. */
  readonly at: string
  readonly actor: string
  readonly before: E | null
  readonly after: E | null
  /** Aborted when the hook has taken too long, or the service ends. */
  readonly signal: AbortSignal
}

/** A write of a global, before it is validated. */
export interface BeforeValidateGlobal<O, C extends DaybookConfig> extends WriteEvent<O, C> {
  readonly action: 'update'
  readonly global: string
  readonly data: HookData
}

/** A write of a global, in its transaction. */
export interface BeforeChangeGlobal<O, C extends DaybookConfig, E = HookData> extends WriteEvent<O, C> {
  readonly action: 'update'
  readonly global: string
  readonly before: E | null
  readonly after: E
}

/** A change of a global that is stored. */
export interface AfterCommitGlobal<O, C extends DaybookConfig, E = HookData> extends HookEvent<O, C> {
  readonly action: 'update'
  readonly global: string
  readonly seq: number
  readonly at: string
  readonly actor: string
  readonly before: E | null
  readonly after: E
  readonly signal: AbortSignal
}

/** What a hook answers that may change what is written: values, or nothing. */
type Changed = Awaitable<HookData | undefined> | Awaitable<void>

/** The hooks of a collection. */
export interface CollectionHooks<O = object, C extends DaybookConfig = DaybookConfig, E = HookData> {
  /** Runs before validation, outside the transaction. Answers the data to write in place of what was sent, or nothing. */
  readonly beforeValidate?: (event: BeforeValidateEntry<O, C>) => Changed
  /** Runs in the transaction. Answers values to change besides, or nothing; an error refuses the write. */
  readonly beforeChange?: (event: BeforeChangeEntry<O, C, E>) => Changed
  /** Runs soon after the change is stored, at least once, in the order of the journal. */
  readonly afterCommit?: (event: AfterCommitEntry<O, C, E>) => Awaitable<void>
}

/** The hooks of a global. */
export interface GlobalHooks<O = object, C extends DaybookConfig = DaybookConfig, E = HookData> {
  /** Runs before validation, outside the transaction. Answers the data to write in place of what was sent, or nothing. */
  readonly beforeValidate?: (event: BeforeValidateGlobal<O, C>) => Changed
  /** Runs in the transaction. Answers values to change besides, or nothing; an error refuses the write. */
  readonly beforeChange?: (event: BeforeChangeGlobal<O, C, E>) => Changed
  /** Runs soon after the change is stored, at least once, in the order of the journal. */
  readonly afterCommit?: (event: AfterCommitGlobal<O, C, E>) => Awaitable<void>
}

/** The hooks of a plugin, by the key of the document; `*` stands for all. */
export interface PluginHooks<O = object, C extends DaybookConfig = DaybookConfig> {
  readonly collections?: Readonly<Record<string, CollectionHooks<O, C>>>
  readonly globals?: Readonly<Record<string, GlobalHooks<O, C>>>
}
