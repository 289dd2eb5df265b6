/** Headers in which CDNs take tags of answers. */
export const CACHE_TAG_HEADERS = ['Surrogate-Key', 'Cache-Tag'] as const

export type CacheTagHeader = (typeof CACHE_TAG_HEADERS)[number]

/** A CDN in front of the service. */
export interface CdnConfig {
  /**
   * Headers of answers without a session that name what they are made of, so that a CDN can purge them: `['Surrogate-Key']` for
   * Fastly and Varnish, `['Cache-Tag']` for Cloudflare and others. @default none @see docs/cdn.md
   */
  readonly tags?: readonly ('Surrogate-Key' | 'Cache-Tag')[]
}
