import { addRoute, createRouter, type MatchedRoute } from 'rou3'
import { compileRouter } from 'rou3/compiler'
import type { Method, Route } from './contract.ts'
import type { HttpRequest } from './request.ts'

export interface RouteMatch {
  readonly route: Route
  /** The decoded path parameters. */
  readonly path: Readonly<Record<string, string>>
}

/** A route with the names of its path parameters, in order. */
interface Endpoint {
  readonly route: Route
  readonly names: readonly string[]
}

type Endpoints = Map<Method, Endpoint>

export class Router {
  /** Routes without path parameters. The library would look them up as property names, which V8 has to intern first. */
  readonly #fixed: ReadonlyMap<string, MatchedRoute<Endpoints>>
  readonly #matchParameterized: (method: string, path: string) => MatchedRoute<Endpoints> | undefined

  /** @throws {Error} if two routes have the same method and address */
  constructor(routes: readonly Route[]) {
    const endpointsByAddress = new Map<string, Endpoints>()
    for (const route of routes) {
      const { address, names } = getRouteAddress(route)
      const endpoints: Endpoints = endpointsByAddress.get(address) ?? new Map()
      if (endpoints.has(route.method)) throw new Error(`Two routes match ${route.method} ${route.path}.`)
      endpointsByAddress.set(address, endpoints.set(route.method, { route, names }))
    }
    const router = createRouter<Endpoints>()
    const parameterized = [...endpointsByAddress].filter(([address]) => hasParameters(address))
    for (const [address, endpoints] of parameterized) addRoute(router, '', address, endpoints)
    this.#matchParameterized = compileRouter(router)
    this.#fixed = new Map(
      [...endpointsByAddress]
        .filter(([address]) => !hasParameters(address))
        .map(([address, data]) => [address, { data }]),
    )
  }

  /** Returns the route of a request, or the methods that its path supports; `undefined` for an unknown or malformed path. */
  match({ method, target }: Pick<HttpRequest, 'method' | 'target'>): RouteMatch | readonly string[] | undefined {
    const path = parseRequestPath(target)
    return path === undefined ? undefined : this.find(method, path)
  }

  /**
   * Returns the route of a path, or the methods that the path supports; `undefined` for an unknown path. Paths match exactly.
   *
   * @param path in which escaped percent signs and slashes are still escaped
   */
  find(method: string, path: string): RouteMatch | readonly string[] | undefined {
    const match = this.#fixed.get(path) ?? this.#findParameterized(path)
    if (!match) return undefined
    // RFC 9110, section 9.3.2: HEAD is GET without the content.
    const endpoint = match.data.get((method === 'HEAD' ? 'GET' : method) as Method)
    return endpoint
      ? { route: endpoint.route, path: decodeParameters(endpoint.names, match.params) }
      : listAllowedMethods(match.data.keys())
  }

  /** The library ignores a trailing slash, and treats two slashes as an empty segment, so both are excluded here. */
  #findParameterized(path: string): MatchedRoute<Endpoints> | undefined {
    if (hasEndSlash(path)) return undefined
    const match = this.#matchParameterized('', path)
    return match && path.includes('//') && hasEmptySegment(match.params) ? undefined : match
  }
}

/** Returns the path of a target with escapes decoded once; `undefined` if they are not UTF-8. */
export function parseRequestPath(target: string): string | undefined {
  const query = target.indexOf('?')
  const path = query === -1 ? target : target.slice(0, query)
  if (!path.includes('%')) return path
  try {
    if (decodeURIComponent(path).includes('\0')) throw new Error('NUL')
    // Escaped percent signs and slashes stay escaped until the parameters are decoded.
    return decodeURI(path.replaceAll('%25', '%2525'))
  } catch {
    return undefined
  }
}

const hasParameters = (address: string): boolean => address.includes('/:') || address.endsWith('/**')

const hasEndSlash = (path: string): boolean => path.endsWith('/') && path !== '/'

/** Returns the address of a route, with numbered parameters: equal for routes that match the same paths. */
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

function decodeParameters(
  names: readonly string[],
  params: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const values: Record<string, string> = {}
  for (const [index, name] of names.entries()) {
    const value = params[index + 1] ?? ''
    values[name] = decodeValue(value)
  }
  // The library's name for the rest of a path.
  if (params._ !== undefined) values['*'] = decodeValue(params._)
  return values
}

const decodeValue = (value: string): string => (value.includes('%') ? decodeURIComponent(value) : value)

/** Lists the methods for `Allow`, including HEAD and OPTIONS. */
export function listAllowedMethods(methods: Iterable<Method>): readonly string[] {
  const listed = [...new Set(methods)].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
  return [...listed, 'OPTIONS']
}
