import { setTimeout as sleep } from 'node:timers/promises'
import { DeliveryError, definePlugin, type Plugin } from '../index.ts'
import { checkOptions } from './check-options.ts'

/** Purges responses with any of these tags from a CDN; rejects if that fails. */
export type Purge = (tags: readonly string[], signal: AbortSignal) => Promise<void>

/** Options of `purgeCdn()`. */
export interface PurgeCdnOptions {
  /** The function that purges: `purgeFastly(…)`, `purgeCloudflare(…)`, or one of your own. */
  readonly purge: Purge
  /** The maximum number of tags in one request. @default 30 */
  readonly maxTags?: number
  /** The time for which changes are collected for one request, in milliseconds. @default 100 */
  readonly waitMs?: number
}

/** The maximum number of changes that wait for a purge at a time. */
const CONCURRENCY = 64

/**
 * Purges from a CDN what a change has made stale, by the tags of `cdn: { tags: […] }`: those of the document and of its collection.
 * Changes that callers without a session cannot see purge nothing. A failed purge is retried for three days.
 *
 * @throws {ConfigError} for invalid options
 *
 * @example
 * ```ts
 * defineConfig({
 *   collections,
 *   cdn: { tags: ['Surrogate-Key'] },
 *   plugins: [purgeCdn({ purge: purgeFastly({ service, token }) })],
 * })
 * ```
 */
export function purgeCdn(
  options: PurgeCdnOptions,
): Plugin<Record<never, never>, Record<never, never>, Record<never, never>> {
  checkOptions('purge-cdn', options, ['purge', 'maxTags', 'waitMs'], (faults) => {
    const { purge, maxTags = 2, waitMs = 0 } = options
    faults.require(typeof purge === 'function', 'purge', 'must be a function, such as purgeFastly({ service, token })')
    faults.require(Number.isInteger(maxTags) && maxTags >= 2, 'maxTags', 'must be a whole number, 2 or more')
    faults.require(Number.isInteger(waitMs) && waitMs >= 0, 'waitMs', 'must be a whole number of milliseconds')
  })
  return definePlugin({
    name: 'purge-cdn',
    version: '1.0.0',
    setup: async ({ journal }) => {
      const batches = new PurgeBatches(options)
      await journal.subscribe({
        name: 'tags',
        concurrency: CONCURRENCY,
        deliver: ({ collection, id, global, signal }) =>
          batches.add(global === undefined ? [`${collection}`, `${collection}:${id}`] : [`globals:${global}`], signal),
      })
    },
  })
}

interface Batch {
  readonly tags: Set<string>
  readonly done: Promise<void>
}

/** Purges the tags of several changes with one request. */
class PurgeBatches {
  readonly #options: Required<PurgeCdnOptions>
  /** The batch that waits for more tags. */
  #open: Batch | undefined

  constructor({ purge, maxTags = 30, waitMs = 100 }: PurgeCdnOptions) {
    this.#options = { purge, maxTags, waitMs }
  }

  /** Resolves when the tags are purged; rejects if the request for them has failed. */
  add(tags: readonly string[], signal: AbortSignal): Promise<void> {
    const isFull = this.#open && new Set([...this.#open.tags, ...tags]).size > this.#options.maxTags
    if (isFull || !this.#open) this.#open = this.#begin(signal)
    for (const tag of tags) this.#open.tags.add(tag)
    return this.#open.done
  }

  #begin(signal: AbortSignal): Batch {
    const tags = new Set<string>()
    const send = async (): Promise<void> => {
      await sleep(this.#options.waitMs)
      if (this.#open === batch) this.#open = undefined
      await this.#options.purge([...tags], signal)
    }
    const batch: Batch = { tags, done: send() }
    return batch
  }
}

/** The Fastly service to purge. */
export interface FastlyService {
  /** The id of the service. */
  readonly service: string
  /** An API token that may purge. Take it from the environment. */
  readonly token: string
  /** The address of the API. @default 'https://api.fastly.com' */
  readonly api?: string
}

/** Purges a Fastly service by `Surrogate-Key`. */
export function purgeFastly({ service, token, api = 'https://api.fastly.com' }: FastlyService): Purge {
  const url = `${api}/service/${encodeURIComponent(service)}/purge`
  const headers = { 'Fastly-Key': token, Accept: 'application/json' }
  return (tags, signal) => requestPurge(url, { headers: { ...headers, 'Surrogate-Key': tags.join(' ') }, signal })
}

/** The Cloudflare zone to purge. */
export interface CloudflareZone {
  /** The id of the zone. */
  readonly zone: string
  /** An API token that may purge. Take it from the environment. */
  readonly token: string
  /** The address of the API. @default 'https://api.cloudflare.com/client/v4' */
  readonly api?: string
}

/** Purges a Cloudflare zone by `Cache-Tag`. */
export function purgeCloudflare({ zone, token, api = 'https://api.cloudflare.com/client/v4' }: CloudflareZone): Purge {
  const url = `${api}/zones/${encodeURIComponent(zone)}/purge_cache`
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  return (tags, signal) => requestPurge(url, { headers, body: JSON.stringify({ tags }), signal })
}

/** @throws {DeliveryError} if the CDN has not purged */
async function requestPurge(url: string, request: RequestInit): Promise<void> {
  const response = await fetch(url, { method: 'POST', redirect: 'manual', ...request }).catch(() => undefined)
  await response?.body?.cancel()
  if (response?.ok) return
  throw new DeliveryError(response ? `The CDN responded with ${response.status}.` : 'The CDN could not be reached.')
}
