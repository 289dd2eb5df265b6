import { LRUCache } from 'lru-cache'
import type { Access } from '../content/access/access.ts'
import {
  getClientRevision,
  hasLinksPart,
  type LazyResponse,
  matchesTag,
  parseRevision,
  parseTags,
  requireTagMatch,
} from '../content/reads/index.ts'
import { SingleFlight } from '../single-flight.ts'
import type { Versioned } from '../store/reads/counters-reader.ts'
import { buildCodingHeaders, type Compression, type ContentCoding, withClientTag } from './compression.ts'
import type { ReadRoute, Route } from './contract.ts'
import type { HttpRequest, RequestHeaders } from './request.ts'
import { buildReadResponse, type CachePolicy, type HttpResponse } from './response.ts'

export const DEFAULT_RESPONSE_CACHE_BYTES: number = 64 * 1024 * 1024
/** The maximum share of one response in the memory of the cache. With less room than that, the cache is full. */
const MAX_SHARE = 1 / 8
/** The share of responses worth caching that a full cache accepts. */
const FULL_SHARE = 1 / 8
const MAX_KEY = 2048
/** The approximate overhead of a response, in bytes. */
const BODY_BYTES = 1000

export interface ReadResponderOptions {
  readonly policy: CachePolicy
  /** `undefined`: no response is cached. */
  readonly cache: ResponseCache | undefined
  readonly compression: Compression
  /** True if the config has rules for reads, which have to be evaluated for each request. */
  readonly hasReadRules: boolean
}

/** Responds to reads: with 304 if the client has the current response, else from the cache or the store. */
export class ReadResponder {
  readonly #options: ReadResponderOptions
  /** The running reads, by cache key and tag. */
  readonly #reads = new SingleFlight<string | Uint8Array>()

  constructor(options: ReadResponderOptions) {
    this.#options = options
  }

  /**
   * Returns the cached response to a request without a credential, if nothing can have been stored since and no rule has to be evaluated.
   *
   * @returns `undefined` in all other cases
   */
  respondFromCache(request: HttpRequest): RoutedResponse | undefined {
    const { cache, hasReadRules } = this.#options
    if (!cache || hasReadRules || !isPlainRead(request)) return undefined
    const cached = cache.get(request.target)
    if (!cached?.isConfirmedAt(cache.storeVersion)) return undefined
    const response = this.#toCachedResponse(cached, request.headers)
    return response && { route: cached.route, response }
  }

  /**
   * Responds to a read. The tag of the response is known before its content is read.
   *
   * @throws PRECONDITION_FAILED, and what the route throws
   */
  async respond(route: ReadRoute, request: ReadRequest): Promise<HttpResponse> {
    const { cache } = this.#options
    const { access, headers: headerValues } = request
    const { headers, target } = request.request
    const cacheKey = toCacheKey((await access.cacheKey()) ?? access.callerKind, target)
    const cached = cache?.get(cacheKey)
    // The version is read before the tag, since whatever is stored later may give another tag.
    const version = cache?.storeVersion
    if (cached && !access.hasReadRules && route.resource && cached.isConfirmedAt(version)) {
      requireTagMatch(headerValues.ifMatch, cached.tag)
      const cachedResponse = this.#toCachedResponse(cached, headers)
      if (cachedResponse) return cachedResponse
    }
    const cachedRevision = cached?.plain && !hasLinksPart(cached.tag) ? parseRevision(cached.tag) : undefined
    const knownRevision = cachedRevision ?? getClientRevision(headerValues.ifNoneMatch)
    const response = await route.read({ ...request, knownRevision })
    requireTagMatch(headerValues.ifMatch, response.tag)
    const isUnmodified = headerValues.ifNoneMatch !== undefined && matchesTag(headerValues.ifNoneMatch, response.tag)
    if (!cache || response.isPrivate)
      return this.#buildResponse(access, response, isUnmodified ? undefined : await response.read())
    return this.#respondCached(cache, { route, request, cacheKey, cached, version, response }, isUnmodified)
  }

  /** @param isUnmodified true if the client has the response */
  async #respondCached(cache: ResponseCache, read: CacheableRead, isUnmodified: boolean): Promise<HttpResponse> {
    const { route, request, cacheKey, cached, version, response } = read
    const { access } = request
    const { tag } = response
    const current = cached?.tag === tag ? cached : undefined
    current?.confirm(version)
    if (isUnmodified) {
      const unchanged = this.#buildResponse(access, response)
      if (!current && cache.isWorthCaching(cacheKey))
        cache.set(cacheKey, new CachedResponse(route, tag, unchanged.headers, undefined, version))
      return unchanged
    }
    const { headers } = request.request
    if (current?.plain) return this.#send(cacheKey, current, current.plain, headers)
    const readKey = `${cacheKey} ${tag}`
    const isJoined = this.#reads.isRunning(readKey)
    const fresh = this.#buildResponse(access, response, await this.#reads.run(readKey, () => response.read()))
    // The request that started the read stores the result.
    if (isJoined || !(cached || cache.isWorthCaching(cacheKey)) || !(await isCurrent(cache, read))) return fresh
    const plain = toBody(fresh)
    const stored = new CachedResponse(route, tag, plain.headers, plain, version)
    cache.set(cacheKey, stored)
    return this.#send(cacheKey, stored, plain, headers)
  }

  /** Sends a cached response in the coding that the client prefers. Each coding is compressed once and cached. */
  #send(
    cacheKey: string,
    cached: CachedResponse,
    plain: ResponseBody,
    headers: RequestHeaders,
  ): Promise<HttpResponse> | HttpResponse {
    const { cache, compression } = this.#options
    const coding = compression.chooseCoding(plain.octets.length, headers)
    const body = cached.body(coding)
    if (body || !coding) return toHttpResponse(body ?? plain)
    const compressed = compression.compress(Buffer.from(plain.octets, 'latin1'), coding, false)
    if (!compressed) return toHttpResponse(plain)
    return compressed.then((bytes) => {
      const coded: ResponseBody = {
        octets: bytes.toString('latin1'),
        headers: Object.freeze({ ...plain.headers, ...buildCodingHeaders(plain.headers, coding) }),
      }
      cache?.addCoded(cacheKey, cached, coding, coded)
      return toHttpResponse(coded)
    })
  }

  /** @returns `undefined` if the content has to be read or compressed first, or the header is malformed */
  #toCachedResponse(cached: CachedResponse, headers: RequestHeaders): HttpResponse | undefined {
    const ifNoneMatch = headers.get('if-none-match')
    if (ifNoneMatch !== null) {
      const condition = ifNoneMatch === cached.tag ? '*' : parseTags(ifNoneMatch)
      if (!condition) return undefined
      if (matchesTag(condition, cached.tag))
        return withClientTag({ status: 304, headers: cached.unchanged }, ifNoneMatch)
    }
    const { plain } = cached
    const body = plain && cached.body(this.#options.compression.chooseCoding(plain.octets.length, headers))
    return body && toHttpResponse(body)
  }

  /** @param json `undefined` for a 304 */
  #buildResponse({ isAuthenticated }: Access, response: AnyResponse, json?: string | Uint8Array): HttpResponse {
    const { tag, surrogateKeys, isPrivate = false } = response
    return buildReadResponse(
      this.#options.policy,
      { isAuthenticated: isAuthenticated || isPrivate },
      tag,
      json,
      surrogateKeys,
    )
  }
}

export interface RoutedResponse {
  readonly route: Route
  readonly response: HttpResponse
}

type ReadRequest = Parameters<ReadRoute['read']>[0]
type AnyResponse = LazyResponse<string | Uint8Array>

/** The request headers on which the response to a read depends. */
const DECISIVE_HEADERS = ['authorization', 'cookie', 'if-match', 'daybook-min-seq', 'daybook-preview'] as const

const isPlainRead = ({ method, headers }: HttpRequest): boolean =>
  (method === 'GET' || method === 'HEAD') && !DECISIVE_HEADERS.some((name) => headers.has(name))

/** @param readKey the kind of caller; for callers without a session, the key is the target alone */
const toCacheKey = (readKey: string, target: string): string => (readKey === 'public' ? target : `${readKey} ${target}`)

interface CacheableRead {
  readonly route: ReadRoute
  readonly request: ReadRequest
  readonly cacheKey: string
  /** The cached response, which may be outdated. */
  readonly cached: CachedResponse | undefined
  /** The version of the store before the tag was read. */
  readonly version: number | undefined
  readonly response: AnyResponse
}

/** True if the tag was current during the whole read: only then does it identify this content. */
async function isCurrent(cache: ResponseCache, { route, request, version, response }: CacheableRead): Promise<boolean> {
  if (version === undefined) return (await route.read(request)).tag === response.tag
  return cache.storeVersion === version
}

function toBody({ json = '', headers = {} }: HttpResponse): ResponseBody {
  const octets = Buffer.from(json as string).toString('latin1')
  return { octets, headers: Object.freeze({ ...headers, 'Content-Type': 'application/json' }) }
}

const toHttpResponse = ({ octets, headers }: ResponseBody): HttpResponse => ({ status: 200, octets, headers })

/** The content of a response as it is sent. */
interface ResponseBody {
  /** A string with one character for each byte, so that Node sends head and content in one piece without encoding. */
  readonly octets: string
  readonly headers: Readonly<Record<string, string>>
}

/** A response that is reused while its tag is current. */
class CachedResponse {
  readonly route: Route
  readonly tag: string
  /** The headers of a 304. */
  readonly unchanged: Readonly<Record<string, string>>
  /** `undefined` if all requests so far got a 304. */
  readonly plain: ResponseBody | undefined
  readonly #coded = new Map<ContentCoding, ResponseBody>()
  /** The version of the store when the tag was last read. */
  #confirmedAt: number | undefined

  /**
   * @param headers the headers of the response; a 304 omits those of the content
   * @param version the version of the store when the tag was read
   */
  constructor(
    route: Route,
    tag: string,
    { 'Content-Type': _type, ...headers }: Readonly<Record<string, string>> = {},
    plain: ResponseBody | undefined,
    version: number | undefined,
  ) {
    this.route = route
    this.tag = tag
    this.unchanged = Object.freeze(headers)
    this.plain = plain
    this.#confirmedAt = version
  }

  /** Returns the content in a coding, if it was compressed before. */
  body(coding: ContentCoding | undefined): ResponseBody | undefined {
    return coding === undefined ? this.plain : this.#coded.get(coding)
  }

  addCoded(coding: ContentCoding, body: ResponseBody): void {
    this.#coded.set(coding, body)
  }

  /** Records that the tag was current at a version of the store. */
  confirm(version: number | undefined): void {
    this.#confirmedAt = version
  }

  /** True if nothing can have been stored since the tag was read. */
  isConfirmedAt(version: number | undefined): boolean {
    return version !== undefined && version === this.#confirmedAt
  }

  /** The approximate memory of the response, in bytes. */
  get size(): number {
    const bodies = [...(this.plain ? [this.plain] : []), ...this.#coded.values()]
    return bodies.reduce((sum, { octets }) => sum + octets.length + BODY_BYTES, BODY_BYTES)
  }
}

/**
 * Caches whole responses by target and kind of caller. There is no invalidation: a response is used if its tag is current, and the tag identifies
 * everything that the response depends on. Responses are cached at their second request. A full cache accepts only some responses: if each one
 * replaced another, then a set of responses that does not fit, requested in turn, would never be found in the cache.
 */
export class ResponseCache {
  readonly #maxBytes: number
  readonly #maxResponseBytes: number
  readonly #database: Versioned
  readonly #responses: LRUCache<string, CachedResponse>
  readonly #recentKeys = new RecentKeys()

  /** @param maxBytes the memory of all responses */
  constructor(maxBytes: number, database: Versioned) {
    this.#maxBytes = maxBytes
    this.#maxResponseBytes = Math.max(1, Math.floor(maxBytes * MAX_SHARE))
    this.#database = database
    this.#responses = new LRUCache({
      maxSize: maxBytes,
      maxEntrySize: this.#maxResponseBytes,
      sizeCalculation: ({ size }, cacheKey) => size + cacheKey.length,
    })
  }

  get storeVersion(): number | undefined {
    return this.#database.version
  }

  get(cacheKey: string): CachedResponse | undefined {
    // While there is room, nothing is evicted, so the order of use does not matter.
    return this.#isFull ? this.#responses.get(cacheKey) : this.#responses.peek(cacheKey)
  }

  /** True if a response should be cached: it was requested recently, and the cache has room, or the response is among the share of a full cache. */
  isWorthCaching(cacheKey: string): boolean {
    const isRepeated = cacheKey.length <= MAX_KEY && this.#recentKeys.add(cacheKey)
    return isRepeated && (!this.#isFull || Math.random() < FULL_SHARE)
  }

  get #isFull(): boolean {
    return this.#maxBytes - this.#responses.calculatedSize < this.#maxResponseBytes
  }

  set(cacheKey: string, response: CachedResponse): void {
    this.#responses.set(cacheKey, response)
  }

  /** Adds a compressed form, unless another response has replaced this one. */
  addCoded(cacheKey: string, response: CachedResponse, coding: ContentCoding, body: ResponseBody): void {
    if (this.#responses.peek(cacheKey) !== response) return
    // The LRU cache measures a value again only after it was deleted.
    this.#responses.delete(cacheKey)
    response.addCoded(coding, body)
    this.#responses.set(cacheKey, response)
  }
}

/** Remembers recent keys approximately: four bytes for each, which another key may overwrite. */
class RecentKeys {
  readonly #hashes = new Uint32Array(2 ** 16)

  /** @returns true if the key was added before */
  add(key: string): boolean {
    const hash = hashFnv1a(key)
    const slot = hash % this.#hashes.length
    const isRepeated = this.#hashes[slot] === hash
    this.#hashes[slot] = hash
    return isRepeated
  }
}

/** FNV-1a, 32 bits. */
function hashFnv1a(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash >>> 0
}
