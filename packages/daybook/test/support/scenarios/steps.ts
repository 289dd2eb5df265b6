import { expect } from 'vitest'
import type { Step } from './scenario.ts'
import type { TestResponse } from './transports.ts'

type Extra = Partial<Step>

/** Creates an entry with the service token. */
export const create = (collection: string, json: object, extra: Extra = {}): Step => ({
  method: 'POST',
  path: `/api/${collection}`,
  auth: true,
  json,
  status: 201,
  ...extra,
})

/** Updates the document at a path with the service token. */
export const put = (path: string, json: object, extra: Extra = {}): Step => ({
  method: 'PUT',
  path,
  auth: true,
  json,
  status: 200,
  ...extra,
})

/** Deletes the document at a path with the service token. */
export const remove = (path: string, extra: Extra = {}): Step => ({
  method: 'DELETE',
  path,
  auth: true,
  status: 204,
  ...extra,
})

/** Reads a path without a session. */
export const get = (path: string, extra: Extra = {}): Step => ({ path, status: 200, ...extra })

/** A list request that is rejected with an issue of the parameter. */
export const refused = (path: string, param: string, extra: Extra = {}): Step => ({
  path,
  status: 400,
  body: {
    code: 'VALIDATION_ERROR',
    details: { issues: expect.arrayContaining([expect.objectContaining({ path: param })]) },
  },
  ...extra,
})

/** The expected body of a list with these slugs in this order. */
export const slugs = (...expected: readonly string[]): { readonly items: readonly object[] } => ({
  items: expected.map((slug) => ({ slug })),
})

/** Merges a patch into the document at a path (RFC 7396) with the service token. */
export const patch = (path: string, json: unknown, extra: Extra = {}): Step => ({
  method: 'PATCH',
  path,
  auth: true,
  json,
  status: 200,
  ...extra,
  headers: { 'Content-Type': 'application/merge-patch+json', ...extra.headers },
})

/** Executes operations in one transaction, with the service token. */
export const batch = (operations: unknown, extra: Extra = {}): Step => ({
  method: 'POST',
  path: '/api/cms/batch',
  auth: true,
  json: { operations },
  status: 200,
  ...extra,
})

/** Uploads a text file with these fields, with the service token. */
export function uploadFile(content: string, texts: Readonly<Record<string, string>> = {}, extra: Extra = {}): Step {
  const fields = Object.entries(texts).map(([name, text]) => formPart(`name="${name}"`, text))
  const file = formPart('name="file"; filename="note.txt"', content)
  return {
    method: 'POST',
    path: '/api/assets',
    auth: true,
    raw: `${[...fields, file].join('')}--form--\r\n`,
    status: 201,
    ...extra,
    headers: { 'Content-Type': 'multipart/form-data; boundary=form', ...extra.headers },
  }
}

const formPart = (parameters: string, content: string): string =>
  `--form\r\nContent-Disposition: form-data; ${parameters}\r\n\r\n${content}\r\n`

/** A rejection with issues at these paths. */
export const faults = (...paths: readonly string[]): Extra => ({
  status: 400,
  body: { code: 'VALIDATION_ERROR', details: { issues: paths.map((path) => ({ path })) } },
})

/** Values that a step saves for later steps, by name. */
export type SavedValues = Readonly<Record<string, string>>

/** Replaces `{name}` in a text by the saved value. Other braces stay. */
export function fillText(text: string, saved: SavedValues): string {
  return text.replace(/\{(\w+)\}/g, (all, name: string) => (Object.hasOwn(saved, name) ? String(saved[name]) : all))
}

/** Like {@link fillText}, in every text of a JSON value. Matchers of the test runner stay. */
export function fill(value: unknown, saved: SavedValues): unknown {
  if (typeof value === 'string') return fillText(value, saved)
  if (Array.isArray(value)) return value.map((item) => fill(item, saved))
  const isPlain = typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
  if (!isPlain) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fill(inner, saved)]))
}

/** Reads a value of a response: `/items/0/id` from the body, `ETag` from the headers. */
export function pick({ headers, text }: TestResponse, from: string): string {
  if (!from.startsWith('/')) return String(headers.get(from))
  const segments = from.slice(1).split('/')
  return String(segments.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], JSON.parse(text)))
}
