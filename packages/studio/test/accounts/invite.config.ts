import { defineConfig } from 'daybook'
import { betterAuth } from 'daybook/better-auth'
import { museum } from '../support/configs.ts'

/** The museum with registration by invitation. */
export default defineConfig({ ...museum, auth: betterAuth({ registration: 'invite' }) })
