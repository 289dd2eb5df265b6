import { defineConfig } from 'daybook'
import { betterAuth } from 'daybook/better-auth'
import { museum } from '../../support/configs.ts'

/** The museum with accounts that last, which administrators make. */
export default defineConfig({ ...museum, auth: betterAuth({ registration: 'closed' }) })
