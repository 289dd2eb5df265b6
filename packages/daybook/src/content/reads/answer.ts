/** A document as it is answered. */
export interface Answer {
  /** JSON text. */
  readonly json: string
  /** Strong entity tag, with its quotes. */
  readonly tag: string
  /** `seq` of the last change: the revision. */
  readonly seq: number
}

/** A response whose content is read only if somebody needs it: the tag says whether the client or a cache has it. */
export interface LazyResponse<Json extends string | Uint8Array = string> {
  /** Strong entity tag, with its quotes. */
  readonly tag: string
  /** True if no cache may store the response. @default false */
  readonly isPrivate?: boolean
  /** The keys under which CDNs purge the response: `posts:ID` for a document, `posts` for a whole collection. */
  surrogateKeys(): readonly string[]
  /** Reads the content: JSON text, or its bytes in UTF-8. */
  read(): Promise<Json>
}

/**
 * The surrogate keys of a response, each once.
 *
 * @param key of the document or collection that was requested
 * @param collections whose documents are embedded, or decide about what is shown
 */
export const toSurrogateKeys = (key: string, collections: readonly { readonly key: string }[]): readonly string[] =>
  collections.length === 0 ? [key] : [...new Set([key, ...collections.map((collection) => collection.key)])]

/** A stored entry as it is answered. */
export interface EntryAnswer extends Answer {
  readonly id: string
  /** Its slug, or its id in a collection without slugs. */
  readonly address: string
}
