import type { ConfigFault } from '../config/check.ts'
import { describeContributor } from '../config/plugin.ts'
import type { Route } from '../http/contract.ts'
import { operationIdOf } from '../http/openapi/operation.ts'
import { routeAddress } from '../http/router.ts'

/** A route of a plugin, with where it was written. */
export interface PlacedRoute {
  readonly route: Route
  /** Such as `plugins.shop.routes.0`. */
  readonly place: string
}

/** Routes of plugins that answer what another route answers, or have its operationId. */
export function routeClashes(own: readonly Route[], placed: readonly PlacedRoute[]): readonly ConfigFault[] {
  return placed.flatMap((one, index) => {
    const before = placed.slice(0, index)
    return [...addressClashes(own, before, one), ...nameClashes(own, before, one)]
  })
}

function addressClashes(
  own: readonly Route[],
  before: readonly PlacedRoute[],
  { route, place }: PlacedRoute,
): readonly ConfigFault[] {
  const taken = own.find((other) => takesFrom(segmentsOf(route), segmentsOf(other)))
  const same = before.find(
    ({ route: other }) => other.method === route.method && routeAddress(other).address === routeAddress(route).address,
  )
  const path = `${place}.path`
  if (taken) {
    const message = `${named(taken)} of Daybook answers ${route.path}; choose a path that no route of Daybook has`
    return [{ path, message }]
  }
  if (!same) return []
  const message = `${named(same.route)} of ${ownerOf(same.route)} (${same.place}) answers ${route.path}; change one of the paths`
  return [{ path, message }]
}

function nameClashes(
  own: readonly Route[],
  before: readonly PlacedRoute[],
  { route, place }: PlacedRoute,
): readonly ConfigFault[] {
  const others = [...own, ...before.map((one) => one.route)]
  const other = others.find((one) => operationIdOf(one) === route.operationId)
  if (!other) return []
  const message = `${named(other)} of ${ownerOf(other)} has the operationId ${route.operationId}; write another one`
  return [{ path: `${place}.operationId`, message }]
}

function ownerOf({ plugin }: Route): string {
  if (plugin === undefined) return 'Daybook'
  return describeContributor(plugin === null ? {} : { name: plugin })
}

function named({ method, path, resource }: Route): string {
  return `${method} ${resource ? path.replace(/:(?:collection|key)\b/, resource.key) : path}`
}

const segmentsOf = (route: Route): readonly string[] => routeAddress(route).address.split('/')

/** How exactly a segment says what it matches. The router prefers what says more. */
function exactness(segment: string | undefined): number {
  if (segment === '**') return 0
  return segment?.startsWith(':') ? 1 : 2
}

/** Whether an address answers paths that are another one's today: both match them, and it is at least as exact. */
function takesFrom(address: readonly string[], other: readonly string[]): boolean {
  if (!overlaps(address, other)) return false
  const length = Math.max(address.length, other.length)
  for (let at = 0; at < length; at += 1) {
    const difference = exactness(address[at]) - exactness(other[at])
    if (difference !== 0) return difference > 0
  }
  return true
}

/** Whether some path matches both addresses. */
function overlaps([own, ...ownRest]: readonly string[], [other, ...otherRest]: readonly string[]): boolean {
  if (own === '**' || other === '**') return true
  if (own === undefined || other === undefined) return own === other
  const isOpen = exactness(own) === 1 || exactness(other) === 1
  return (isOpen || own === other) && overlaps(ownRest, otherRest)
}
