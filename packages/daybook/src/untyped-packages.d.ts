// Types of packages that have none, as far as Daybook uses them.

declare module 'better-sqlite3' {
  export interface NativeStatement {
    /** True if it changes nothing. */
    readonly readonly: boolean
    all(...values: unknown[]): unknown[]
    get(...values: unknown[]): unknown
    pluck(): this
    run(...values: unknown[]): { readonly changes: number; readonly lastInsertRowid: number }
  }

  export default class SqliteDatabase {
    constructor(file: string, options: { readonly timeout: number; readonly fileMustExist?: boolean })
    prepare(text: string): NativeStatement
    exec(text: string): this
    aggregate<State>(
      name: string,
      parts: {
        start(): State
        step(state: State, value: unknown): State
        result(state: State): unknown
      },
    ): this
    pragma(text: string, options?: { readonly simple: boolean }): unknown
    /** @param options.progress called after each step; returns the number of pages that the next step copies */
    backup(
      file: string,
      options: {
        progress(pages: { readonly totalPages: number; readonly remainingPages: number }): number
      },
    ): Promise<unknown>
    close(): this
    readonly inTransaction: boolean
  }
}

declare module 'markdown-it-footnote' {
  import type { MarkdownIt } from 'markdown-it'

  export default function footnote(markdown: MarkdownIt): void
}

declare module 'sanitize-html' {
  /** Attributes by name. */
  export type Attributes = Record<string, string>

  /** An attribute that an element may have, or an attribute with its allowed values. */
  export type AllowedAttribute = string | { readonly name: string; readonly values: readonly string[] }

  /** A tag of the result. */
  export interface ChangedTag {
    readonly tagName: string
    readonly attribs: Attributes
  }

  export interface SanitizeOptions {
    readonly allowedTags: readonly string[]
    readonly allowedAttributes: Readonly<Record<string, readonly AllowedAttribute[]>>
    readonly allowedClasses: Readonly<Record<string, readonly (string | RegExp)[]>>
    readonly allowedSchemes: readonly string[]
    readonly allowedSchemesByTag: Readonly<Record<string, readonly string[]>>
    readonly nonBooleanAttributes: readonly string[]
    readonly allowedEmptyAttributes: readonly string[]
    readonly selfClosing: readonly string[]
    readonly nestingLimit: number
    onOpenTag(name: string): void
    onCloseTag(name: string): void
    readonly transformTags: Readonly<Record<string, (name: string, attribs: Attributes) => ChangedTag>>
  }

  export default function sanitizeHtml(html: string, options: SanitizeOptions): string
}

declare module 'semver' {
  /** Returns the normalized version, or `null` if it is invalid. */
  export function valid(version: string): string | null
  /** Returns the normalized range, or `null` if it is invalid. */
  export function validRange(range: string): string | null
  export function satisfies(version: string, range: string, options?: { readonly includePrerelease?: boolean }): boolean
}
