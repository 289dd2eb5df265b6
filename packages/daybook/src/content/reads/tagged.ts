import type { Answer, LazyResponse } from './answer.ts'

const etagsOfDocuments = new WeakMap<object, string>()

/** A document or a list out of an answer, which remembers the tag that it came with. */
export function tagged<T>({ json, tag }: Pick<Answer, 'json' | 'tag'>): T {
  const document = JSON.parse(json)
  etagsOfDocuments.set(document, tag)
  return document
}

/** The document of a read. */
export const readTagged = async <T>({ tag, read }: Pick<LazyResponse, 'tag' | 'read'>): Promise<T> =>
  tagged({ json: await read(), tag })

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
