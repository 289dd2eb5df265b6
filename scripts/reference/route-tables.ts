import { ERRORS } from '../../packages/daybook/src/errors.ts'
import { isRecord, type JsonSchema } from '../../packages/daybook/src/fields/field.ts'
import { COMMON_ERRORS, type Route } from '../../packages/daybook/src/http/contract.ts'
import type { Parameter } from '../../packages/daybook/src/query/parameters.ts'
import { table } from './table.ts'

const nameOf = ({ method, path }: Route): string => `\`${method} ${path}\``

const SESSIONS: Readonly<Record<Route['protection'], string>> = { public: 'no', session: 'yes', provider: 'no' }

/** Every route: what it does, what it answers, and how it refuses. */
export function routeTable(routes: readonly Route[]): string {
  const rows = routes.map((route) => [
    nameOf(route),
    SESSIONS[route.protection],
    route.summary,
    answersOf(route),
    refusalsOf(route).join(', '),
  ])
  return table(['route', 'session', 'purpose', 'answers', 'errors'], rows)
}

const answersOf = ({ responses: answers }: Route): string =>
  answers?.map(({ status, description }) => (status === 304 ? '304' : `${status}: ${description}`)).join(' ') ??
  'What the auth adapter answers.'

/** The statuses of errors beside those that any route may answer with. */
const refusalsOf = ({ errors }: Route): readonly number[] => {
  const own = errors.filter((code) => !COMMON_ERRORS.includes(code)).map((code) => ERRORS[code].status)
  return [...new Set(own)].sort((a, b) => a - b)
}

/** One parameter, and the routes that take it. */
interface Use {
  readonly name: string
  readonly parameter: Parameter
  readonly routes: readonly Route[]
}

/** Every parameter of a query string. */
export function parameterTable(routes: readonly Route[]): string {
  const uses = new Map<string, Use>()
  for (const route of routes) {
    for (const [name, parameter] of Object.entries(route.parameters ?? {})) {
      if (!isUsable(parameter.schema)) continue
      const key = `${name} ${parameter.description}`
      uses.set(key, { name, parameter, routes: [...(uses.get(key)?.routes ?? []), route] })
    }
  }
  const rows = [...uses.values()].map(({ name, parameter, routes: own }) => [
    `\`${parameter.style === 'brackets' ? `${name}[…]` : name}\``,
    own.map(nameOf).join(', '),
    printSchema(parameter),
    printDefault(parameter.schema),
    parameter.description,
  ])
  return table(['parameter', 'of', 'value', 'default', 'meaning'], rows)
}

const isUsable = ({ not }: JsonSchema): boolean => !isRecord(not) || Object.keys(not).length > 0

const printDefault = ({ default: initial }: JsonSchema): string => (initial === undefined ? '' : `\`${initial}\``)

/** What a value looks like, in a word or two. */
function printSchema({ style, schema, nameKind: takes }: Parameter): string {
  if (takes === 'reverses') return 'options of a page'
  if (style === 'brackets') return 'conditions'
  if (style === 'list') return 'one or more, separated by commas or repeated'
  if (schema.type !== 'integer') return 'text'
  return schema.maximum === undefined ? 'whole number' : `${schema.minimum} to ${schema.maximum}`
}
