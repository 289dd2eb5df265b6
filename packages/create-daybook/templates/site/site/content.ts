import { createClient } from '@daybook/client'
import type config from '../daybook.config.ts'

const { DAYBOOK_URL: baseUrl = 'http://127.0.0.1:3000' } = process.env

/** Reads from the service. Without a token, it gets published posts only. */
export const { collections, globals } = createClient<typeof config>({ baseUrl })
