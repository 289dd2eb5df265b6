import { defineCollection, defineConfig, f, hasRole } from 'daybook'
import { type BetterAuthOptions, betterAuth } from 'daybook/better-auth'
import { SLOW_MACHINE_LIMITS } from '../support/timeouts.ts'

export const configOf = (options: BetterAuthOptions = {}) =>
  defineConfig({
    auth: betterAuth(options),
    collections: {
      notes: defineCollection({ fields: { title: f.text({ required: true }) } }),
      news: defineCollection({ fields: { title: f.text() }, access: { create: hasRole('editor') } }),
    },
    limits: { ...SLOW_MACHINE_LIMITS, signInsPerMinute: 10_000 },
  })

export const json = ({ text }: { readonly text: string }) => JSON.parse(text)
export const bearer = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } })
