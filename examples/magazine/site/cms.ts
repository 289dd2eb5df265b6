import { type Client, createClient } from '@daybook/client'
import type config from '../daybook.config.ts'

/** The languages of the site. */
export const LANGUAGES = ['en', 'de', 'fr'] as const
/** A language of the site. */
export type Language = (typeof LANGUAGES)[number]

/** The client of the magazine's content. */
export type Cms = Client<typeof config>

/** @param baseUrl the address of the service */
export const connect = (baseUrl: string): Cms => createClient<typeof config>({ baseUrl })
