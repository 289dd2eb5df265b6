import { definePlugin, type Plugin } from '../../index.ts'
import { checkPurgeOptions, type PurgeCdnOptions } from './options.ts'
import { PurgeBatches } from './purge-batches.ts'

/** How many changes may wait for their purge at once. */
const CONCURRENCY = 64

/**
 * Has a CDN forget what a change has made old, by the tags of `cdn: { tags: […] }`: those of the document and of its collection. What
 * readers without a session cannot see purges nothing. A purge that fails is tried again for three days.
 *
 * @throws {ConfigError} for options that are wrong
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
  checkPurgeOptions(options)
  const { purge, maxTags = 30, waitMs = 100 } = options
  return definePlugin({
    name: 'purge-cdn',
    version: '1.0.0',
    setup: async ({ journal }) => {
      const batches = new PurgeBatches(purge, { maxTags, waitMs })
      await journal.subscribe({
        name: 'tags',
        concurrency: CONCURRENCY,
        deliver: ({ collection, id, global, signal }) =>
          batches.add(global === undefined ? [`${collection}`, `${collection}:${id}`] : [`globals:${global}`], signal),
      })
    },
  })
}
