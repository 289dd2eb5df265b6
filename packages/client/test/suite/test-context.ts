import { createClient } from '@daybook/client'
import type { Blog } from '../support/config.ts'
import type { Scripted, Sent, World } from './case.ts'

/** The URLs of the servers of a test run. */
export interface Places {
  readonly service: string
  /** The token of the service principal. */
  readonly token: string
  readonly scripted: string
}

/** Creates the context of cases from the URLs of the servers. */
export function worldOf({ service, token, scripted }: Places): World {
  return {
    baseUrl: service,
    token,
    client: (options) => createClient<Blog>({ baseUrl: service, ...options }),
    clientOf: ({ baseUrl }, options) => {
      const retry = { minDelay: 1, maxDelay: 5, ...options?.retry }
      return createClient<Blog>({ baseUrl, ...options, retry })
    },
    async script(...replies): Promise<Scripted> {
      const id = await (await fetch(scripted, { method: 'POST', body: JSON.stringify(replies) })).text()
      const baseUrl = `${scripted}/${id}`
      return { baseUrl, sent: async () => (await (await fetch(`${baseUrl}/sent`)).json()) as readonly Sent[] }
    },
  }
}
