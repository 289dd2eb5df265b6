import type { Caller } from '../auth/adapter.ts'
import type { DaybookConfig } from '../config/config.ts'
import type { CallerContent } from '../content/caller-content.ts'
import type { JsonSchema } from '../fields/field.ts'
import type { Method } from '../http/contract.ts'
import type { AsSystem, Awaitable, PluginLog } from './hooks.ts'

/** The value of a placeholder in a path. Other values are 404. */
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

/** A body that the route reads itself, as a stream. */
export interface PluginStreamBody {
  readonly description?: string
  /** The accepted media types, such as `image/png` or `text/*`; others are 415. */
  readonly mediaTypes: readonly string[]
  readonly stream: true
}

/** A response of a route. */
export interface PluginResponse {
  readonly description: string
  readonly schema?: JsonSchema
  /** @default application/json if there is a schema */
  readonly mediaType?: string
  /** Descriptions of further headers, by name. */
  readonly headers?: Readonly<Record<string, string>>
}

/** The value of a query parameter, parsed by its schema. */
export type QueryValue = string | number | boolean | readonly string[]

/** A request to a route of a plugin. */
export interface PluginRequest<O = object, C extends DaybookConfig = DaybookConfig> {
  readonly method: string
  readonly url: URL
  readonly headers: Headers
  readonly caller: Caller
  /** The placeholders of the path, decoded; `*` is the rest. */
  readonly path: Readonly<Record<string, string>>
  /** The parameters of the query string that were sent. */
  readonly query: Readonly<Record<string, QueryValue>>
  /** The validated JSON body; `undefined` if the route has none. */
  readonly body: unknown
  /** The body of a route with `stream: true`; `null` for other routes. */
  readonly stream: ReadableStream<Uint8Array> | null
  /** Aborted when the client disconnects, or after the timeout. */
  readonly signal: AbortSignal
  /** Content with the rights of the caller. */
  readonly content: CallerContent<C>
  readonly asSystem: AsSystem<C>
  readonly options: O
  readonly log: PluginLog
  /** True if the client has the response with this entity tag, so that 304 suffices (`If-None-Match`; RFC 9110, section 13.1.2). */
  isCurrent(tag: string): boolean
}

/** A route of a plugin. */
export interface PluginRoute<O = object, C extends DaybookConfig = DaybookConfig> {
  readonly method: Method
  /** The exact path: `:name` stands for one segment, `*` at the end for all further ones. */
  readonly path: string
  /** @default derived from the plugin's name, the method and the path */
  readonly operationId?: string
  readonly summary: string
  readonly description?: string
  /** With `session`, a request without a session is 401, and `run` is not called. */
  readonly protection: 'public' | 'session'
  /** The parameters of the path, by name. @default any text */
  readonly pathParameters?: Readonly<Record<string, PluginPathParameter>>
  /** The parameters of the query string, by name; others are 400. @default none */
  readonly parameters?: Readonly<Record<string, PluginParameter>>
  /** Allows and ignores any query string, for pages whose scripts read their own address. @default false */
  readonly anyQuery?: boolean
  /** @default none */
  readonly body?: PluginJsonBody | PluginStreamBody
  /** By status. */
  readonly responses: Readonly<Record<number, PluginResponse>>
  /** Returns the response. A `DaybookError` becomes its error body, any other error 500. */
  readonly run: (request: PluginRequest<O, C>) => Awaitable<Response>
}
