import { defineConfig } from 'daybook'
import { betterAuth } from 'daybook/better-auth'
import { museum } from '../support/configs.ts'

/** The museum, to which administrators invite people. */
export default defineConfig({ ...museum, auth: betterAuth({ registration: 'invite' }) })
