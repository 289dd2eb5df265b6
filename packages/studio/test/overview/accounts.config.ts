import { defineConfig } from 'daybook'
import { betterAuth } from 'daybook/better-auth'
import { museum } from '../support/configs.ts'

export default defineConfig({ ...museum, auth: betterAuth({ registration: 'closed' }) })
