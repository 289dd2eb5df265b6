const etagsOfDocuments = new WeakMap<object, string>()

/**
 * Remembers the tag that a document came with. Proxies that compress an answer mark its tag as weak (RFC 9110, section
 * 8.8.3.3); the version that it names is the same.
 */
export function rememberTag(document: object, tag: string | null): void {
  if (tag !== null) etagsOfDocuments.set(document, tag.replace(/^W\//, ''))
}

/**
 * The entity tag that a document came with, for `ifMatch`.
 *
 * @throws {TypeError} for an item of a list, for a copy, and for anything else that did not come by itself: without a tag a
 * change would be made on no condition at all
 *
 * @example
 * ```ts
 * const post = await client.collections.posts.findBySlug('hello')
 * if (post) await client.collections.posts.update(post.id, { title: 'Hello!' }, { ifMatch: etagOf(post) })
 * ```
 */
export function etagOf(document: object): string {
  const tag = etagsOfDocuments.get(document)
  if (tag !== undefined) return tag
  throw new TypeError('This document came without a tag, or is a copy. Read it by itself, with findById or findBySlug.')
}
