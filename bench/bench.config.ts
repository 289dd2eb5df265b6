import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const { BENCH_CHECKOUT = '', BENCH_LIMITS = '{}' } = process.env

const example = join(BENCH_CHECKOUT, 'examples/blog/daybook.config.ts')
const { default: config }: typeof import('../examples/blog/daybook.config.ts') = await import(
  pathToFileURL(example).href
)
// An empty store stays empty: the bench fills it.
const { seed: _seed, ...exampleConfig } = config

/** The reference example of the checkout BENCH_CHECKOUT, with the limits BENCH_LIMITS (JSON); it takes uploads of a gibibyte. */
export default { ...exampleConfig, assets: { maxBytes: 2 ** 31 }, limits: JSON.parse(BENCH_LIMITS) }
