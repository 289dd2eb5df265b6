import type { Identity } from '../auth/adapter.ts'

/** A fault that a validator finds in a document. */
export interface ValidationIssue {
  /**
   * JSON Pointer (RFC 6901) to the value. It is relative to the document in its validator, such as `/endsAt` or `/parts/0/text`, and to the
   * field's value in that of a field, such as `/0` for its first item. @default the document, or the field's value
   */
  readonly path?: `/${string}`
  /**
   * The message for people, at most 1,000 characters. One that begins with a lower-case letter is a predicate, and gets its place as the
   * subject: `must be after startsAt` becomes `endsAt must be after startsAt.`
   */
  readonly message: string
  /** The code of the broken rule, in the form of a key. @default 'validate' */
  readonly code?: string
  /** The values that the message mentions, by name, for clients that translate it; at most 2,000 characters of JSON. */
  readonly params?: Readonly<Record<string, ValidationParam | readonly ValidationParam[]>>
}

type ValidationParam = string | number | boolean

/** The result of a validator: nothing if the value is valid, else a message, an issue, or a list of them. */
export type ValidationResult =
  | string
  | ValidationIssue
  | readonly (string | ValidationIssue)[]
  | null
  | undefined
  | Nothing

/** The result of a function without a return value. */
type Nothing = ReturnType<() => void>

/** The values of a document, by key. */
type ValidationValues = Readonly<Record<string, unknown>>

/** The options of a read by a validator. */
export interface ValidationQuery {
  /** The keys to return. @default all */
  readonly select?: readonly string[]
  /** Relations to expand, as dotted paths. */
  readonly include?: readonly string[]
  readonly locale?: string
}

/** The options of a list by a validator. */
export interface ValidationListQuery extends ValidationQuery {
  /** The filter, such as `{ title: { startsWith: 'A' } }`. */
  readonly where?: ValidationValues
  readonly q?: string
  readonly status?: string | readonly string[]
  readonly sort?: string | readonly string[]
  /** @default 20 */
  readonly limit?: number
  /** @default 0 */
  readonly offset?: number
}

/** The content for a validator, with the rights of the caller and the writes of the transaction. */
export interface ValidationContent {
  /** Reads an entry by slug or id. Returns `null` if the caller may see none. */
  get(collection: string, address: string, query?: ValidationQuery): Promise<ValidationValues | null>
  list(
    collection: string,
    query?: ValidationListQuery,
  ): Promise<{ readonly total: number; readonly items: readonly ValidationValues[] }>
  readGlobal(key: string, query?: ValidationQuery): Promise<ValidationValues>
}

/** The context of every validator. All values are frozen. */
export interface ValidationContext<Before = ValidationValues> {
  /** The stored document; `null` for a new one. */
  readonly before: Before | null
  readonly operation: 'create' | 'update'
  /** The identity of the caller; `null` without a session. */
  readonly identity: Identity | null
  /** The written locale; `undefined` if the config has no locales. */
  readonly locale: string | undefined
  readonly content: ValidationContent
}

/** The context of a field's validator. */
export interface FieldValidationContext extends ValidationContext {
  /** The document that will be stored. */
  readonly entry: ValidationValues
}

/**
 * Checks the value of a field. In a list or in blocks, it checks each value.
 *
 * @example
 * ```ts
 * f.text({ validate: (value) => (value.endsWith('.') ? undefined : 'must end with a full stop') })
 * ```
 */
// A method, because its parameters are bivariant: a field of texts is a field, too.
export type FieldValidator<Value = unknown> = {
  validate(value: Value, context: FieldValidationContext): ValidationResult | Promise<ValidationResult>
}['validate']

/** Checks a whole document before it is stored. */
export type DocumentValidator<Entry = ValidationValues, Before = Entry> = {
  validate(entry: Entry, context: ValidationContext<Before>): ValidationResult | Promise<ValidationResult>
}['validate']
