// What Daybook uses of packages that bring no types of their own.

declare module 'better-sqlite3' {
  export interface NativeStatement {
    all(...values: unknown[]): unknown[]
    get(...values: unknown[]): unknown
    run(...values: unknown[]): { readonly changes: number }
  }

  export default class SqliteDatabase {
    constructor(file: string, options: { readonly timeout: number })
    prepare(text: string): NativeStatement
    exec(text: string): this
    pragma(text: string, options?: { readonly simple: boolean }): unknown
    close(): this
    readonly inTransaction: boolean
  }
}

declare module 'markdown-it-footnote' {
  import type { MarkdownIt } from 'markdown-it'

  export default function footnote(markdown: MarkdownIt): void
}
