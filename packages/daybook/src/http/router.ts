import { addRoute, createRouter, type MatchedRoute } from 'rou3'
import { compileRouter } from 'rou3/compiler'
import type { Method, Route } from './contract.ts'
import type { HttpRequest } from './request.ts'

/** The route that a request's method and path lead to. */
export interface RouteMatch {
  readonly route: Route
  /** Decoded. */
  readonly path: Readonly<Record<string, string>>
}

/** A route with the names of what its address leaves open, in order. */
interface Endpoint {
  readonly route: Route
  readonly names: readonly string[]
}

type Endpoints = Map<Method, Endpoint>

/** Finds routes by method and path. */
export class Router {
  /** Of addresses that leave nothing open. The library would look them up as names of an object, which V8 has to know first, one by one. */
  readonly #fixed: ReadonlyMap<string, MatchedRoute<Endpoints>>
  readonly #matchOpen: (method: string, path: string) => MatchedRoute<Endpoints> | undefined

  /** @throws {Error} when two routes have the same method and address */
  constructor(routes: readonly Route[]) {
    const byAddress = new Map<string, Endpoints>()
    for (const route of routes) {
      const { address, names } = getRouteAddress(route)
      const endpoints: Endpoints = byAddress.get(address) ?? new Map()
      if (endpoints.has(route.method)) throw new Error(`Two routes answer ${route.method} ${route.path}.`)
      byAddress.set(address, endpoints.set(route.method, { route, names }))
    }
    const router = createRouter<Endpoints>()
    const open = [...byAddress].filter(([address]) => isOpen(address))
    for (const [address, endpoints] of open) addRoute(router, '', address, endpoints)
    this.#matchOpen = compileRouter(router)
    this.#fixed = new Map(
      [...byAddress].filter(([address]) => !isOpen(address)).map(([address, data]) => [address, { data }]),
    )
  }

  /** The route of a request, or the methods that its address has; `undefined` if there is nothing, or it is no address. */
  match({ method, target }: Pick<HttpRequest, 'method' | 'target'>): RouteMatch | readonly string[] | undefined {
    const path = parseRequestPath(target)
    return path === undefined ? undefined : this.find(method, path)
  }

  /**
   * The route of a path, or the methods that the path has; `undefined`: there is nothing. Paths match exactly.
   *
   * @param path escaped percent signs and slashes are still escaped
   */
  find(method: string, path: string): RouteMatch | readonly string[] | undefined {
    const found = this.#fixed.get(path) ?? this.#findOpen(path)
    if (!found) return undefined
    // RFC 9110, section 9.3.2: HEAD is GET without the content.
    const endpoint = found.data.get((method === 'HEAD' ? 'GET' : method) as Method)
    return endpoint
      ? { route: endpoint.route, path: decoded(endpoint.names, found.params) }
      : listAllowedMethods(found.data.keys())
  }

  /** The library takes a path with a slash at the end for the one without, and two slashes for an empty segment. */
  #findOpen(path: string): MatchedRoute<Endpoints> | undefined {
    if (hasEndSlash(path)) return undefined
    const found = this.#matchOpen('', path)
    return found && path.includes('//') && hasEmptySegment(found.params) ? undefined : found
  }
}

/** The path of a target as routes match it: escapes are decoded once. `undefined` if they are not UTF-8. */
export function parseRequestPath(target: string): string | undefined {
  const query = target.indexOf('?')
  const path = query === -1 ? target : target.slice(0, query)
  if (!path.includes('%')) return path
  try {
    if (decodeURIComponent(path).includes('\0')) throw new Error('NUL')
    // Escaped percent signs and slashes stay escaped: parameters are decoded when they are taken out.
    return decodeURI(path.replaceAll('%25', '%2525'))
  } catch {
    return undefined
  }
}

/** Whether an address leaves segments open. */
const isOpen = (address: string): boolean => address.includes('/:') || address.endsWith('/**')

const hasEndSlash = (path: string): boolean => path.endsWith('/') && path !== '/'

/** A route's address, with places for what is open: equal for routes that answer the same paths. */
export function getRouteAddress({ path, resource }: Route): {
  readonly address: string
  readonly names: readonly string[]
} {
  const names: string[] = []
  const segments = path.split('/').map((segment) => {
    if (resource && (segment === ':collection' || segment === ':key')) return resource.key
    if (segment === '*') return '**'
    if (!segment.startsWith(':')) return segment
    names.push(segment.slice(1))
    return `:${names.length}`
  })
  return { address: segments.join('/'), names }
}

const hasEmptySegment = (params: Readonly<Record<string, string>> = {}): boolean =>
  Object.entries(params).some(([name, value]) => value === '' && name !== '_')

function decoded(names: readonly string[], params: Readonly<Record<string, string>> = {}): Record<string, string> {
  const values: Record<string, string> = {}
  for (const [index, name] of names.entries()) {
    const value = params[index + 1] ?? ''
    values[name] = decodeValue(value)
  }
  // What the library calls the rest of a path.
  if (params._ !== undefined) values['*'] = decodeValue(params._)
  return values
}

const decodeValue = (value: string): string => (value.includes('%') ? decodeURIComponent(value) : value)

/** The value of `Allow` for these methods, each once. */
export function listAllowedMethods(methods: Iterable<Method>): readonly string[] {
  const own = [...new Set(methods)].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
  return [...own, 'OPTIONS']
}
