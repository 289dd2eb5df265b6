import type { Caller } from '../auth/adapter.ts'
import type { DaybookConfig } from '../config/config.ts'
import type { CallerContent } from '../content/caller-content.ts'
import type { JsonSchema } from '../fields/field.ts'
import type { Method } from '../http/contract.ts'
import type { AsSystem, Awaitable, PluginLog } from './hooks.ts'

/** What stands at an open place of a path. Other values are 404. */
export interface PluginPathParameter {
  readonly description: string
  /** JSON Schema (2020-12). */
  readonly schema: JsonSchema
}

/** A parameter of the query string. Other values are 400. */
export interface PluginParameter {
  readonly description: string
  /** JSON Schema (2020-12) of a text, a number, a boolean, or a list of texts. */
  readonly schema: JsonSchema
  /** @default false */
  readonly isRequired?: boolean
}

/** A JSON body, which is checked. */
export interface PluginJsonBody {
  readonly description?: string
  /** JSON Schema (2020-12). */
  readonly schema: JsonSchema
}

/** A body that the route reads itself, as it comes in. */
export interface PluginStreamBody {
  readonly description?: string
  /** Media types that are taken, such as `image/png` or `text/*`; others are 415. */
  readonly mediaTypes: readonly string[]
  readonly stream: true
}

/** One way in which a route answers. */
export interface PluginAnswer {
  readonly description: string
  readonly schema?: JsonSchema
  /** @default application/json where there is a schema */
  readonly mediaType?: string
  /** Headers beside those of every answer, each with what it says. */
  readonly headers?: Readonly<Record<string, string>>
}

/** A value of a query parameter, read as its schema says. */
export type QueryValue = string | number | boolean | readonly string[]

/** A request to a route of a plugin. */
export interface PluginRequest<O = object, C extends DaybookConfig = DaybookConfig> {
  readonly method: string
  readonly url: URL
  readonly headers: Headers
  readonly caller: Caller
  /** The open places of the path, decoded; `*` is what follows. */
  readonly path: Readonly<Record<string, string>>
  /** The parameters of the query string that were sent. */
  readonly query: Readonly<Record<string, QueryValue>>
  /** The JSON body, checked; `undefined` where the route takes none. */
  readonly body: unknown
  /** The body as it comes in, of a route with `stream: true`; `null` elsewhere. */
  readonly stream: ReadableStream<Uint8Array> | null
  /** Aborted when the client has gone, or the route has taken too long. */
  readonly signal: AbortSignal
  /** Content with the rights of the caller. */
  readonly content: CallerContent<C>
  readonly asSystem: AsSystem<C>
  readonly options: O
  readonly log: PluginLog
  /** Whether the client has the answer with this entity tag, and 304 says enough (`If-None-Match`; RFC 9110, section 13.1.2). */
  isCurrent(tag: string): boolean
}

/** A route of a plugin. */
export interface PluginRoute<O = object, C extends DaybookConfig = DaybookConfig> {
  readonly method: Method
  /** The exact path: `:name` stands for one segment, `*` at the end for all that follow. */
  readonly path: string
  /** @default made of the plugin's name, the method and the path */
  readonly operationId?: string
  readonly summary: string
  readonly description?: string
  /** `session`: without one it is 401, and `run` is not called. */
  readonly protection: 'public' | 'session'
  /** Of the path, by name. @default any text */
  readonly pathParameters?: Readonly<Record<string, PluginPathParameter>>
  /** Of the query string, by name; others are 400. @default none */
  readonly parameters?: Readonly<Record<string, PluginParameter>>
  /** Whether the query string may hold anything, unread: of a page whose scripts read their own address. @default false */
  readonly anyQuery?: boolean
  /** @default none */
  readonly body?: PluginJsonBody | PluginStreamBody
  /** By status. */
  readonly answers: Readonly<Record<number, PluginAnswer>>
  /** Answers; a `DaybookError` becomes its error body, any other error 500. */
  readonly run: (request: PluginRequest<O, C>) => Awaitable<Response>
}
