import { f } from 'daybook'

export const title = f.text()
export const fields = { title }

export const posts = (inner: unknown): object => ({ collections: { posts: { fields: inner } } })
export const field = (definition: unknown): object => posts({ field: definition })
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
