import { type Client, createClient } from '@daybook/client'
import type { DaybookConfig } from 'daybook'
import { Observable } from './observable.ts'

/** A client without static types for the model. */
export type StudioClient = Client<DaybookConfig>

export interface ClientSession {
  readonly baseUrl: string
  /** Returns the pasted token, or `undefined` if the session is a cookie. */
  readonly token: () => string | undefined
  /** Renews an expired session. @default none: requests fail when the session has expired */
  readonly renew?: () => Promise<boolean>
}

export const makeClient = ({ baseUrl, token, renew }: ClientSession): StudioClient =>
  createClient<DaybookConfig>({
    baseUrl,
    credentials: 'same-origin',
    token,
    ...(renew ? { renewSession: renew } : {}),
    retry: { attempts: 3 },
  })

/** Holds requests whose session has expired until the user has signed in again. */
export class SessionRenewal {
  /** True while a request waits. */
  readonly isPending: Observable<boolean> = new Observable(false)
  #waiting: PromiseWithResolvers<boolean> | undefined

  /** Resolves to true once there is a new session, or to false if the user gives up. Concurrent calls share the promise. */
  request(): Promise<boolean> {
    this.#waiting ??= Promise.withResolvers()
    this.isPending.set(true)
    return this.#waiting.promise
  }

  /** Resolves the waiting requests. */
  finish(isRenewed: boolean): void {
    this.#waiting?.resolve(isRenewed)
    this.#waiting = undefined
    this.isPending.set(false)
  }
}

const TOKEN_KEY = 'daybook-studio-token'

/** Stores a pasted token in this tab until it is closed. */
export class TokenStore {
  get(): string | undefined {
    return sessionStorage.getItem(TOKEN_KEY) ?? undefined
  }

  set(token: string | undefined): void {
    if (token === undefined) sessionStorage.removeItem(TOKEN_KEY)
    else sessionStorage.setItem(TOKEN_KEY, token)
  }
}

export interface ListItem {
  readonly id: string
  readonly [key: string]: unknown
}

export interface ListPage {
  readonly total: number
  readonly items: readonly ListItem[]
  readonly nextCursor: string | null
}
