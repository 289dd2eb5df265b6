import type { Route } from '../http/contract.ts'
import type { TestService } from './test-service.ts'

const HOSTILE_BODIES: readonly string[] = [
  '',
  '{',
  'null',
  '[]',
  '{"__proto__":{"a":1}}',
  `{"a":"${'x'.repeat(10_000)}"}`,
  '"\\u0000"',
]

/** Requests that no client means. */
export function hostileRequests({ token }: TestService, { method, body }: Route): readonly RequestInit[] {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': body?.mediaTypes[0] ?? 'application/json' }
  if (method === 'GET' || method === 'DELETE') return [{ method, headers }]
  return HOSTILE_BODIES.map((text) => ({ method, headers, body: text }))
}

/** An address of a route: the one that is given, or one that is made up. */
export function addressOf(
  { path, parameters = {}, pathParameters = {} }: Route,
  addresses: Readonly<Record<string, string>> = {},
): string {
  const own = path
    .replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(sampleOf(pathParameters[name]?.schema)))
    .replace(/\*$/, 'x')
  const needed = Object.entries(parameters).filter(([, { isRequired }]) => isRequired)
  const query = new URLSearchParams(needed.map(([name, { schema }]): [string, string] => [name, sampleOf(schema)]))
  return addresses[path] ?? (needed.length > 0 ? `${own}?${query}` : own)
}

/** A text that a schema may take. */
function sampleOf(schema: Readonly<Record<string, unknown>> = {}): string {
  const [first] = Array.isArray(schema.enum) ? schema.enum : []
  if (first !== undefined) return String(first)
  if (schema.type === 'integer' || schema.type === 'number') return String(schema.minimum ?? 1)
  return schema.type === 'boolean' ? 'true' : 'x'
}
