import { betterAuth } from 'daybook/better-auth'
import config from '../../examples/blog/daybook.config.ts'

/** The reference example, with accounts in its database. */
export default { ...config, auth: betterAuth() }
