import { ERRORS } from '../../packages/daybook/src/errors.ts'
import { isRecord, type JsonSchema } from '../../packages/daybook/src/fields/field.ts'
import { COMMON_ERRORS, type Route } from '../../packages/daybook/src/http/contract.ts'
import type { Parameter } from '../../packages/daybook/src/query/parameters.ts'
import { table } from './table.ts'

const printRoute = ({ method, path }: Route): string => `\`${method} ${path}\``

const SESSIONS: Readonly<Record<Route['protection'], string>> = { public: 'no', session: 'yes', provider: 'no' }

export function routeTable(routes: readonly Route[]): string {
  const rows = routes.map((route) => [
    printRoute(route),
    SESSIONS[route.protection],
    route.summary,
    printResponses(route),
    listErrorStatuses(route).join(', '),
  ])
  return table(['route', 'session', 'purpose', 'responses', 'errors'], rows)
}

const printResponses = ({ responses }: Route): string =>
  responses?.map(({ status, description }) => (status === 304 ? '304' : `${status}: ${description}`)).join(' ') ??
  'The response of the auth adapter.'

/** The statuses of a route's errors, without those that every route may return. */
const listErrorStatuses = ({ errors }: Route): readonly number[] => {
  const statuses = errors.filter((code) => !COMMON_ERRORS.includes(code)).map((code) => ERRORS[code].status)
  return [...new Set(statuses)].sort((a, b) => a - b)
}

interface Use {
  readonly name: string
  readonly parameter: Parameter
  readonly routes: readonly Route[]
}

export function parameterTable(routes: readonly Route[]): string {
  const uses = new Map<string, Use>()
  for (const route of routes) {
    for (const [name, parameter] of Object.entries(route.parameters ?? {})) {
      if (!isUsable(parameter.schema)) continue
      const key = `${name} ${parameter.description}`
      uses.set(key, { name, parameter, routes: [...(uses.get(key)?.routes ?? []), route] })
    }
  }
  const rows = [...uses.values()].map(({ name, parameter, routes: users }) => [
    `\`${parameter.style === 'brackets' ? `${name}[…]` : name}\``,
    users.map(printRoute).join(', '),
    printSchema(parameter),
    printDefault(parameter.schema),
    parameter.description,
  ])
  return table(['parameter', 'of', 'value', 'default', 'meaning'], rows)
}

const isUsable = ({ not }: JsonSchema): boolean => !isRecord(not) || Object.keys(not).length > 0

const printDefault = ({ default: initial }: JsonSchema): string => (initial === undefined ? '' : `\`${initial}\``)

function printSchema({ style, schema, nameKind }: Parameter): string {
  if (nameKind === 'reverses') return 'options of a page'
  if (style === 'brackets') return 'conditions'
  if (style === 'list') return 'one or more, separated by commas or repeated'
  if (schema.type !== 'integer') return 'text'
  return schema.maximum === undefined ? 'whole number' : `${schema.minimum} to ${schema.maximum}`
}
