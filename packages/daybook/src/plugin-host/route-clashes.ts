import type { ConfigFault } from '../config/check.ts'
import { describeContributor } from '../config/plugin.ts'
import type { Route } from '../http/contract.ts'
import { operationIdOf } from '../http/openapi/operation.ts'
import { routeAddress } from '../http/router.ts'

/** A route of a plugin or of the config, with its path in the config. */
export interface PlacedRoute {
  readonly route: Route
  /** Such as `plugins.shop.routes.0`. */
  readonly place: string
}

/** Returns the faults of routes that match the requests of another route, or have its operationId. */
export function routeClashes(builtIn: readonly Route[], placed: readonly PlacedRoute[]): readonly ConfigFault[] {
  return placed.flatMap((route, index) => {
    const before = placed.slice(0, index)
    return [...addressClashes(builtIn, before, route), ...nameClashes(builtIn, before, route)]
  })
}

function addressClashes(
  builtIn: readonly Route[],
  before: readonly PlacedRoute[],
  { route, place }: PlacedRoute,
): readonly ConfigFault[] {
  const shadowed = builtIn.find((other) => shadows(segmentsOf(route), segmentsOf(other)))
  const same = before.find(
    ({ route: other }) => other.method === route.method && routeAddress(other).address === routeAddress(route).address,
  )
  const path = `${place}.path`
  if (shadowed) {
    const message = `${describeRoute(shadowed)} of Daybook answers ${route.path}; choose a path that no route of Daybook has`
    return [{ path, message }]
  }
  if (!same) return []
  const message = `${describeRoute(same.route)} of ${describeOwner(same.route)} (${same.place}) answers ${route.path}; change one of the paths`
  return [{ path, message }]
}

function nameClashes(
  builtIn: readonly Route[],
  before: readonly PlacedRoute[],
  { route, place }: PlacedRoute,
): readonly ConfigFault[] {
  const candidates = [...builtIn, ...before.map((placed) => placed.route)]
  const other = candidates.find((candidate) => operationIdOf(candidate) === route.operationId)
  if (!other) return []
  const message = `${describeRoute(other)} of ${describeOwner(other)} has the operationId ${route.operationId}; write another one`
  return [{ path: `${place}.operationId`, message }]
}

function describeOwner({ plugin }: Route): string {
  if (plugin === undefined) return 'Daybook'
  return describeContributor(plugin === null ? {} : { name: plugin })
}

function describeRoute({ method, path, resource }: Route): string {
  return `${method} ${resource ? path.replace(/:(?:collection|key)\b/, resource.key) : path}`
}

const segmentsOf = (route: Route): readonly string[] => routeAddress(route).address.split('/')

/** Returns the specificity of a segment. The router prefers routes with a higher one. */
function getSpecificity(segment: string | undefined): number {
  if (segment === '**') return 0
  return segment?.startsWith(':') ? 1 : 2
}

/** True if an address matches paths of another one, and is at least as specific. */
function shadows(address: readonly string[], other: readonly string[]): boolean {
  if (!overlaps(address, other)) return false
  const length = Math.max(address.length, other.length)
  for (let at = 0; at < length; at += 1) {
    const difference = getSpecificity(address[at]) - getSpecificity(other[at])
    if (difference !== 0) return difference > 0
  }
  return true
}

/** True if some path matches both addresses. */
function overlaps([a, ...aRest]: readonly string[], [b, ...bRest]: readonly string[]): boolean {
  if (a === '**' || b === '**') return true
  if (a === undefined || b === undefined) return a === b
  const isOpen = getSpecificity(a) === 1 || getSpecificity(b) === 1
  return (isOpen || a === b) && overlaps(aRest, bRest)
}
