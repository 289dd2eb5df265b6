import type { Identity } from '../auth/adapter.ts'

/** One thing that a validator finds wrong with a document. */
export interface ValidationIssue {
  /**
   * JSON Pointer (RFC 6901) to the value. In a document's validator it begins at the document, such as `/endsAt` or `/parts/0/text`; in a
   * field's at the field's value, such as `/0` for its first item. @default the document, or the field's value
   */
  readonly path?: `/${string}`
  /** What is wrong, for people: at most 1,000 characters. */
  readonly message: string
  /** A name for the broken rule, like a key. @default 'validate' */
  readonly code?: string
  /** The values that the message mentions, by name, so that clients can say the same in another language; at most 2,000 characters of JSON. */
  readonly params?: Readonly<Record<string, ValidationParam | readonly ValidationParam[]>>
}

type ValidationParam = string | number | boolean

/** What a validator answers: nothing when all is well, else a message, an issue, or several of either. */
export type ValidationResult =
  | string
  | ValidationIssue
  | readonly (string | ValidationIssue)[]
  | null
  | undefined
  | Nothing

/** What a function answers that ends without an answer. */
type Nothing = ReturnType<() => void>

/** The values of a document, by key. */
type ValidationValues = Readonly<Record<string, unknown>>

/** How a validator reads content. */
export interface ValidationQuery {
  /** Served keys to answer with. @default all */
  readonly select?: readonly string[]
  /** Relations to expand, as dotted paths. */
  readonly include?: readonly string[]
  readonly locale?: string
}

/** How a validator lists content. */
export interface ValidationListQuery extends ValidationQuery {
  /** The filter of the list: `{ title: { startsWith: 'A' } }`. */
  readonly where?: ValidationValues
  readonly q?: string
  readonly status?: string | readonly string[]
  readonly sort?: string | readonly string[]
  /** @default 20 */
  readonly limit?: number
  /** @default 0 */
  readonly offset?: number
}

/** Content as a validator reads it: with the rights of the caller, and with all that the transaction has written. */
export interface ValidationContent {
  /** One entry by slug or id; `null` when there is none that the caller may see. */
  get(collection: string, address: string, query?: ValidationQuery): Promise<ValidationValues | null>
  list(
    collection: string,
    query?: ValidationListQuery,
  ): Promise<{ readonly total: number; readonly items: readonly ValidationValues[] }>
  readGlobal(key: string, query?: ValidationQuery): Promise<ValidationValues>
}

/** What every validator is told besides what it checks. All values are frozen. */
export interface ValidationContext<Before = ValidationValues> {
  /** The document as it is stored; `null` for a new one. */
  readonly before: Before | null
  readonly operation: 'create' | 'update'
  /** The identity of the one who writes; `null` without a session. */
  readonly identity: Identity | null
  /** The locale that is written; `undefined`: the config names none. */
  readonly locale: string | undefined
  readonly content: ValidationContent
}

/** What the validator of a field is told besides the value. */
export interface FieldValidationContext extends ValidationContext {
  /** The document as it is about to be stored. */
  readonly entry: ValidationValues
}

/**
 * Checks the value of a field, wherever the field holds one: in a list or in blocks, each of its values.
 *
 * @example
 * ```ts
 * f.text({ validate: (value) => (value.endsWith('.') ? undefined : 'must end with a full stop') })
 * ```
 */
// A method's parameters may be narrowed: a field of texts is a field, too.
export type FieldValidator<Value = unknown> = {
  validate(value: Value, context: FieldValidationContext): ValidationResult | Promise<ValidationResult>
}['validate']

/** Checks a whole document, as it is about to be stored. */
export type DocumentValidator<Entry = ValidationValues, Before = Entry> = {
  validate(entry: Entry, context: ValidationContext<Before>): ValidationResult | Promise<ValidationResult>
}['validate']
