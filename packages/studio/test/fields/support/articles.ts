import { type DaybookConfig, defineCollection, defineConfig, f } from 'daybook'
import { SLOW_MACHINE_LIMITS } from '../../../../daybook/test/support/timeouts.ts'
import { studio } from '../../../src/index.ts'

/** Articles with a long text. */
export const articles: DaybookConfig = defineConfig({
  limits: { ...SLOW_MACHINE_LIMITS, signInsPerMinute: 1000 },
  plugins: [studio()],
  collections: {
    articles: defineCollection({
      fields: { title: f.text({ required: true }), body: f.markdown({ description: 'What readers read.' }) },
    }),
  },
})
