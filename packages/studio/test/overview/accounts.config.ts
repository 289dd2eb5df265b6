import { defineConfig } from 'daybook'
import { betterAuth } from 'daybook/better-auth'
import { museum } from '../support/configs.ts'

/** The museum with stored accounts, which administrators create. */
export default defineConfig({ ...museum, auth: betterAuth({ registration: 'closed' }) })
