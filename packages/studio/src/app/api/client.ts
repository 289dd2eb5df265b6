import { type Client, createClient } from '@daybook/client'
import type { DaybookConfig } from 'daybook'
import { Observable } from './observable.ts'

/** A client of a service whose model is known only when it runs. */
export type StudioClient = Client<DaybookConfig>

/** What a client needs to know of the session. */
export interface ClientSession {
  /** The origin of the service. */
  readonly baseUrl: string
  /** A pasted token; `undefined`: the session is a cookie. */
  readonly token: () => string | undefined
  /** Gets a new session when one has ended. @default none: calls fail then */
  readonly renew?: () => Promise<boolean>
}

/** The client that talks to the service of the page. */
export const makeClient = ({ baseUrl, token, renew }: ClientSession): StudioClient =>
  createClient<DaybookConfig>({
    baseUrl,
    credentials: 'same-origin',
    token,
    ...(renew ? { renewSession: renew } : {}),
    retry: { attempts: 3 },
  })

/** A new session in the place of one that has ended: calls wait here until somebody has signed in again. */
export class SessionRenewal {
  /** Whether a call waits. */
  readonly isPending: Observable<boolean> = new Observable(false)
  #waiting: PromiseWithResolvers<boolean> | undefined

  /** Answers whether there is a session now; calls that come meanwhile wait for the same answer. */
  request(): Promise<boolean> {
    this.#waiting ??= Promise.withResolvers()
    this.isPending.set(true)
    return this.#waiting.promise
  }

  /** Lets the waiting calls go on. */
  finish(isRenewed: boolean): void {
    this.#waiting?.resolve(isRenewed)
    this.#waiting = undefined
    this.isPending.set(false)
  }
}

const NAME = 'daybook-studio-token'

/** A pasted token: this tab keeps it, and forgets it when it closes. */
export class TokenStore {
  get(): string | undefined {
    return sessionStorage.getItem(NAME) ?? undefined
  }

  set(token: string | undefined): void {
    if (token === undefined) sessionStorage.removeItem(NAME)
    else sessionStorage.setItem(NAME, token)
  }
}

/** An item of a list, as it was answered. */
export interface ListItem {
  readonly id: string
  readonly [key: string]: unknown
}

/** A page of a list, as it was answered. */
export interface ListPage {
  readonly total: number
  readonly items: readonly ListItem[]
  readonly nextCursor: string | null
}
