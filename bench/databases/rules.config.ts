import { defineConfig } from 'daybook'
import config from '../../examples/blog/daybook.config.ts'
import { RULES } from './rules.ts'

const rule = RULES.find(({ name }) => name === process.env.BENCH_RULE)
const { posts } = config.collections

/** The reference example; its posts are read by the rule that BENCH_RULE names, or by none. */
export default rule
  ? defineConfig({
      ...config,
      collections: { ...config.collections, posts: { ...posts, access: { read: () => rule.where } } },
    })
  : config
