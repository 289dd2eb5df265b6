/** A document as it is answered. */
export interface DocumentResponse {
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
export interface EntryResponse extends DocumentResponse {
  readonly id: string
  /** Its slug, or its id in a collection without slugs. */
  readonly address: string
}

const etagsOfDocuments = new WeakMap<object, string>()

/** A document or a list out of an answer, which remembers the tag that it came with. */
export function tagDocument<T>({ json, tag }: Pick<DocumentResponse, 'json' | 'tag'>): T {
  const document = JSON.parse(json)
  etagsOfDocuments.set(document, tag)
  return document
}

/** The document of a read. */
export const readTaggedDocument = async <T>({ tag, read }: Pick<LazyResponse, 'tag' | 'read'>): Promise<T> =>
  tagDocument({ json: await read(), tag })

/**
 * The strong entity tag that a document came with, for `ifMatch`; of a list, the tag that changes when the list may have changed.
 *
 * @throws {TypeError} for an item of a list, and for anything that the service's content did not answer: without a tag a change
 * would be made on no condition at all
 *
 * @example
 * ```ts
 * const post = await content.get('posts', 'hello')
 * await content.update('posts', post.id, { title: 'Hello!' }, { ifMatch: etagOf(post), caller })
 * ```
 */
export function etagOf(document: object): string {
  const tag = etagsOfDocuments.get(document)
  if (tag === undefined) throw new TypeError('This document came without a tag; read it by itself, with content.get().')
  return tag
}
