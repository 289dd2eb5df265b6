import { DeliveryError } from '../../index.ts'
import type { Purge } from './options.ts'

/** Where a Fastly service is. */
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
  return (tags, signal) =>
    ask(url, { headers: { 'Fastly-Key': token, 'Surrogate-Key': tags.join(' '), Accept: 'application/json' }, signal })
}

/** Where a Cloudflare zone is. */
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
  return (tags, signal) => ask(url, { headers, body: JSON.stringify({ tags }), signal })
}

/** @throws {DeliveryError} when the CDN has not done it */
async function ask(url: string, request: RequestInit): Promise<void> {
  const answer = await fetch(url, { method: 'POST', redirect: 'manual', ...request }).catch(() => undefined)
  await answer?.body?.cancel()
  if (answer?.ok) return
  throw new DeliveryError(answer ? `The CDN answered ${answer.status}.` : 'The CDN could not be reached.')
}
