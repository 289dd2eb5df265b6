import { type DaybookConfig, defineCollection, defineConfig, f } from 'daybook'
import { PATIENT_LIMITS } from '../../../../daybook/test/support/patience.ts'
import { studio } from '../../../src/index.ts'

/** Articles with a long text. */
export const articles: DaybookConfig = defineConfig({
  limits: { ...PATIENT_LIMITS, signInsPerMinute: 1000 },
  plugins: [studio()],
  collections: {
    articles: defineCollection({
      fields: { title: f.text({ required: true }), body: f.markdown({ description: 'What readers read.' }) },
    }),
  },
})
