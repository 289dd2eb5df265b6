import config from '../../examples/blog/daybook.config.ts'

/** The reference example, which keeps no answers. */
export default { ...config, limits: { answerCacheBytes: 0 } }
