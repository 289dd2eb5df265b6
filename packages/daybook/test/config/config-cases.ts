import { f } from 'daybook'

export const title = f.text()
export const fields = { title }

/** A config whose collection `posts` has these fields. */
export const posts = (inner: unknown): object => ({ collections: { posts: { fields: inner } } })
/** A config with one field, in the collection `posts`. */
export const field = (definition: unknown): object => posts({ field: definition })
/** A valid collection with further parts of the config. */
export const withParts = (parts: object): object => ({ collections: { posts: { fields } }, ...parts })

export const FIELD = 'collections.posts.fields.field'
/** Passes options that the compiler rejects, too. */
export const wrong = (options: unknown): never => options as never

export type Case = readonly [what: string, config: unknown, path: string, message: string]

export function option(options: object): object {
  return { collections: { posts: { fields, ...options } } }
}

export function global(options: object): object {
  return withParts({ globals: { site: { fields, ...options } } })
}
