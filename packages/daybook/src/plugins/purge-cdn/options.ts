import { OptionFaults } from '../option-faults.ts'

/** Asks a CDN to forget answers that carry any of these tags; rejects when it could not. */
export type Purge = (tags: readonly string[], signal: AbortSignal) => Promise<void>

/** Options of `purgeCdn()`. */
export interface PurgeCdnOptions {
  /** How the CDN is asked: `purgeFastly(…)`, `purgeCloudflare(…)`, or a function of your own. */
  readonly purge: Purge
  /** The most tags of one request. @default 30 */
  readonly maxTags?: number
  /** How long changes are collected for one request, in milliseconds. @default 100 */
  readonly waitMs?: number
}

/** @throws {ConfigError} with every fault of the options */
export function checkPurgeOptions(options: PurgeCdnOptions): void {
  const faults = new OptionFaults('purge-cdn')
  if (faults.hasMembers(options, '', ['purge', 'maxTags', 'waitMs'])) {
    const { purge, maxTags = 2, waitMs = 0 } = options
    faults.require(typeof purge === 'function', 'purge', 'write a function, such as purgeFastly({ service, token })')
    faults.require(Number.isInteger(maxTags) && maxTags >= 2, 'maxTags', 'write a whole number from 2 on')
    faults.require(Number.isInteger(waitMs) && waitMs >= 0, 'waitMs', 'write a whole number of milliseconds')
  }
  faults.throwIfAny()
}
