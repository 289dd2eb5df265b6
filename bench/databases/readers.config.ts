import { defineConfig } from 'daybook'
import { webhooks } from 'daybook/plugins'
import config from '../../examples/blog/daybook.config.ts'

const endpoint = {
  url: process.env.BENCH_RECEIVER ?? '',
  secrets: [`whsec_${Buffer.alloc(32, 1).toString('base64')}`],
  allowPrivate: true,
} as const

/** The reference example, with two webhooks to a receiver on this machine. */
export default defineConfig({
  ...config,
  plugins: [webhooks({ endpoints: { first: endpoint, second: { ...endpoint, as: 'system' } } })],
})
