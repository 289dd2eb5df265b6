export interface DocumentResponse {
  readonly json: string
  /** Strong entity tag, with its quotes. */
  readonly tag: string
  /** `seq` of the last change: the revision. */
  readonly seq: number
}

/** A response whose content is only read if neither the client nor a cache has the response with its tag. */
export interface LazyResponse<Json extends string | Uint8Array = string> {
  /** Strong entity tag, with its quotes. */
  readonly tag: string
  /** True if no cache may store the response. @default false */
  readonly isPrivate?: boolean
  /** Returns the keys by which CDNs purge the response: `posts:ID` for a document, `posts` for a collection. */
  surrogateKeys(): readonly string[]
  /** Reads the content: JSON text, or its bytes in UTF-8. */
  read(): Promise<Json>
}

/**
 * Collects the surrogate keys of a response, each once.
 *
 * @param key the key of the requested document or collection
 * @param collections the collections whose documents are included or compared with
 */
export const toSurrogateKeys = (key: string, collections: readonly { readonly key: string }[]): readonly string[] =>
  collections.length === 0 ? [key] : [...new Set([key, ...collections.map((collection) => collection.key)])]

export interface EntryResponse extends DocumentResponse {
  readonly id: string
  /** The slug, or the id in a collection without slugs. */
  readonly address: string
}

const etagsOfDocuments = new WeakMap<object, string>()

/** Parses a document or a list, and remembers the tag of its response. */
export function tagDocument<T>({ json, tag }: Pick<DocumentResponse, 'json' | 'tag'>): T {
  const document = JSON.parse(json)
  etagsOfDocuments.set(document, tag)
  return document
}

/** Reads the document or the list of a response, and remembers its tag. */
export const readTaggedDocument = async <T>({ tag, read }: Pick<LazyResponse, 'tag' | 'read'>): Promise<T> =>
  tagDocument({ json: await read(), tag })

/**
 * Returns the strong entity tag of a document that was read, for `ifMatch`, or the tag of a list, which changes when the list may have
 * changed.
 *
 * @throws {TypeError} for items of lists and other objects without a tag, since an undefined `ifMatch` would overwrite other changes
 *
 * @example
 * ```ts
 * const post = await content.get('posts', 'hello')
 * await content.update('posts', post.id, { title: 'Hello!' }, { ifMatch: etagOf(post) })
 * ```
 */
export function etagOf(document: object): string {
  const tag = etagsOfDocuments.get(document)
  if (tag === undefined) throw new TypeError('This document has no tag. Read it with content.get().')
  return tag
}
