import { type Client, createClient } from '@daybook/client'
import type { DaybookConfig } from 'daybook'

/** A client of a service whose model is known only when it runs. */
export type StudioClient = Client<DaybookConfig>

/** What a client needs to know of the session. */
export interface ClientSession {
  /** A pasted token; `undefined`: the session is a cookie. */
  readonly token: () => string | undefined
  /** Gets a new session when one has ended. @default none: calls fail then */
  readonly renew?: () => Promise<boolean>
}

/** The client that talks to the service of the page. */
export const makeClient = ({ token, renew }: ClientSession): StudioClient =>
  createClient<DaybookConfig>({
    baseUrl: location.origin,
    credentials: 'same-origin',
    token,
    ...(renew ? { renewSession: renew } : {}),
    retry: { attempts: 3 },
  })
