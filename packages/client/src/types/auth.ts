import type { ActorName, DaybookConfig, EntryKey, GlobalKey, Identity, Permission, Principal } from 'daybook'
import type { CallOptions } from '../request.ts'
import type { Status } from './filter.ts'

/** The session of the client, or none. */
export type Session =
  | { readonly authenticated: true; readonly principal: Principal; readonly identity: Identity }
  | { readonly authenticated: false; readonly principal: null; readonly identity: null }

/** A new session. */
export type SignedIn = Extract<Session, { readonly authenticated: true }> & {
  /** The bearer token of the session for `Client.withToken`. Browsers also receive it as a cookie. */
  readonly token: string
}

/** The permissions on a collection or a global, and the fields that may be read and not written. */
export type Permissions<Action extends string> = { readonly [A in Action]: Permission } & {
  readonly fields: Readonly<Record<string, { readonly read: true; readonly write: false }>>
}

/** The permissions of the caller. Collections and globals that they may not read are absent. */
export interface AllPermissions<C extends DaybookConfig> {
  readonly collections: {
    readonly [K in EntryKey<C>]?: Permissions<'read' | 'create' | 'update' | 'delete' | 'restore'>
  }
  readonly globals: { readonly [K in GlobalKey<C>]?: Permissions<'read' | 'update'> }
}

/** The permissions of the caller on one global. */
export interface GlobalPermissions extends Pick<Permissions<never>, 'fields'> {
  readonly read: true
  readonly update: boolean
}

/** The permissions of the caller on one entry; those of drafts and publishing only if entries of the collection have a status. */
export type EntryPermissions<C extends DaybookConfig, K extends EntryKey<C>> = GlobalPermissions & {
  readonly delete: boolean
  readonly restore: boolean
} & ([Status<C, K>] extends [never] ? unknown : PublicationPermissions<Status<C, K>>)

/** The permissions of the caller on the draft and the publication of one entry. */
export interface PublicationPermissions<S extends string = string> {
  /** True if the caller sees the draft. */
  readonly draft: boolean
  readonly saveDraft: boolean
  readonly publish: boolean
  readonly unpublish: boolean
  /** Each status of the collection: true if an update may give it to the entry. */
  readonly statuses: Readonly<Record<S, boolean>>
}

/** An action of the auth adapter. */
export interface AuthActionDescription {
  readonly description?: string
  /** The JSON Schema of the input. */
  readonly input?: Readonly<Record<string, unknown>>
}

/** Sessions. The types of the actions are those of the default accounts of a service. */
export interface AuthClient<C extends DaybookConfig> {
  session(options?: CallOptions): Promise<Session>
  /** Lists the actions of the auth adapter by name. Without `login`, sessions have another origin, such as tokens. */
  actions(options?: CallOptions): Promise<Readonly<Record<string, AuthActionDescription>>>
  /** Reads the permissions of the caller, for example to show buttons. */
  permissions(options?: CallOptions): Promise<AllPermissions<C>>
  /**
   * The permissions of the caller on one entry or one global.
   *
   * @throws {DaybookError} NOT_FOUND for an entry that does not exist for the caller
   */
  permissionsOn<K extends EntryKey<C>>(
    document: { readonly collection: K; readonly id: string },
    options?: CallOptions,
  ): Promise<EntryPermissions<C, K>>
  permissionsOn(document: { readonly global: GlobalKey<C> }, options?: CallOptions): Promise<GlobalPermissions>
  /** Reads the names of at most 100 actors; those without a name are left out. */
  people(subjects: readonly string[], options?: CallOptions): Promise<readonly ActorName[]>
  /** Begins a session. The client does not store the token: see `Client.withToken`. */
  login(credentials: { readonly email: string; readonly password: string }, options?: CallOptions): Promise<SignedIn>
  /** Creates an account and begins a session. */
  register(
    account: { readonly name: string; readonly email: string; readonly password: string },
    options?: CallOptions,
  ): Promise<SignedIn>
  /** Ends the session. */
  logout(options?: CallOptions): Promise<void>
  /** Runs another action of the auth adapter; resolves to `undefined` for an empty response. */
  action<Result = unknown>(
    name: string,
    input?: Readonly<Record<string, unknown>>,
    options?: CallOptions,
  ): Promise<Result>
}
