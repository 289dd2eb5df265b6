import { type Client, createClient } from '@daybook/client'
import type config from '../daybook.config.ts'

/** The languages of the site. */
export const LANGUAGES = ['en', 'de', 'fr'] as const
/** One of them. */
export type Language = (typeof LANGUAGES)[number]

/** The client of the magazine's content. */
export type Cms = Client<typeof config>

/** @param baseUrl where the service is */
export const connect = (baseUrl: string): Cms => createClient<typeof config>({ baseUrl })
