import { defineConfig } from 'daybook'
import config from '../../examples/blog/daybook.config.ts'
import { RULES } from './rules.ts'

const rule = RULES.find(({ name }) => name === process.env.BENCH_RULE)
const posts = { ...config.collections.posts, indexes: [['category', '-publishedOn']] }

/**
 * The reference example, which keeps no answers, with an index for the rule on the category; its posts are read by the rule that
 * BENCH_RULE names, or by none.
 */
export default defineConfig({
  ...config,
  limits: { answerCacheBytes: 0 },
  collections: { ...config.collections, posts: rule ? { ...posts, access: { read: () => rule.where } } : posts },
})
