import type { Identity } from '../auth/adapter.ts'
import type { DaybookConfig } from '../config/config.ts'
import type { CallerContent } from '../content/caller-content.ts'
import type { Log } from '../log.ts'

/** A value, or a promise of it. */
export type Awaitable<T> = T | Promise<T>

/** The reason why a plugin exceeds the rights of the caller. */
export interface SystemReason {
  /** One line, which the journal records with the plugin's name. */
  readonly reason: string
}

/** Returns content without access rules. Only for plugins with `system: true`. */
export type AsSystem<C extends DaybookConfig = DaybookConfig> = (why: SystemReason) => CallerContent<C>

/** The log of a plugin; each line names the plugin. */
export type PluginLog = Pick<Log, 'info' | 'warn' | 'error'>

/** The values of a document, by key. */
export type HookData = Readonly<Record<string, unknown>>

/** The part of an event that every hook receives. */
interface HookEvent<O, C extends DaybookConfig> {
  /** The plugin's options. */
  readonly options: O
  readonly log: PluginLog
  readonly asSystem: AsSystem<C>
}

/** The part of an event that every hook of a write receives. */
interface WriteEvent<O, C extends DaybookConfig> extends HookEvent<O, C> {
  /** The locale of the write; `undefined` if the config has no locales. */
  readonly locale: string | undefined
  /** The identity of the caller; `null` without a session. */
  readonly identity: Identity | null
  /** Content with the rights of the caller. */
  readonly content: CallerContent<C>
}

/** A write of an entry, before it is validated. */
export interface BeforeValidateEntry<O, C extends DaybookConfig> extends WriteEvent<O, C> {
  readonly action: 'create' | 'update'
  readonly collection: string
  /** The id of the entry; absent for a new one. */
  readonly id?: string
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
  /** The number of the change in the journal; the same for each delivery. */
  readonly seq: number
  /** ISO 8601 in UTC. */
  readonly at: string
  readonly actor: string
  readonly before: E | null
  readonly after: E | null
  /** Aborted after the timeout of the hook, or when the service ends. */
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

/** The result of a hook that may change a write: values, or nothing. */
type Changed = Awaitable<HookData | undefined> | Awaitable<void>

/** The hooks of a collection. */
export interface CollectionHooks<O = object, C extends DaybookConfig = DaybookConfig, E = HookData> {
  /** Runs before validation, outside the transaction. Returns the data to write instead of `data`, or nothing. */
  readonly beforeValidate?: (event: BeforeValidateEntry<O, C>) => Changed
  /** Runs in the transaction. Returns further values to change, or nothing; an error rejects the write. */
  readonly beforeChange?: (event: BeforeChangeEntry<O, C, E>) => Changed
  /** Runs soon after the change is stored, at least once, in the order of the journal. */
  readonly afterCommit?: (event: AfterCommitEntry<O, C, E>) => Awaitable<void>
}

/** The hooks of a global. */
export interface GlobalHooks<O = object, C extends DaybookConfig = DaybookConfig, E = HookData> {
  /** Runs before validation, outside the transaction. Returns the data to write instead of `data`, or nothing. */
  readonly beforeValidate?: (event: BeforeValidateGlobal<O, C>) => Changed
  /** Runs in the transaction. Returns further values to change, or nothing; an error rejects the write. */
  readonly beforeChange?: (event: BeforeChangeGlobal<O, C, E>) => Changed
  /** Runs soon after the change is stored, at least once, in the order of the journal. */
  readonly afterCommit?: (event: AfterCommitGlobal<O, C, E>) => Awaitable<void>
}

/** The hooks of a plugin, by the key of the document; `*` stands for all. */
export interface PluginHooks<O = object, C extends DaybookConfig = DaybookConfig> {
  readonly collections?: Readonly<Record<string, CollectionHooks<O, C>>>
  readonly globals?: Readonly<Record<string, GlobalHooks<O, C>>>
}
