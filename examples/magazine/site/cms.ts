import { type Client, createClient } from '@daybook/client'
import type config from '../daybook.config.ts'

export const LANGUAGES = ['en', 'de', 'fr'] as const
export type Language = (typeof LANGUAGES)[number]

export type Cms = Client<typeof config>

export const connect = (baseUrl: string): Cms => createClient<typeof config>({ baseUrl })
