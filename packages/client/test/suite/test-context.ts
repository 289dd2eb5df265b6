import { createClient } from '@daybook/client'
import type { Blog } from '../support/config.ts'
import type { Scripted, Sent, TestContext } from './case.ts'

export interface ServerUrls {
  readonly service: string
  /** The token of the service principal. */
  readonly token: string
  readonly scripted: string
}

export function createTestContext({ service, token, scripted }: ServerUrls): TestContext {
  return {
    baseUrl: service,
    token,
    client: (options) => createClient<Blog>({ baseUrl: service, ...options }),
    clientOf: ({ baseUrl }, options) => {
      const retry = { minDelay: 1, maxDelay: 5, ...options?.retry }
      return createClient<Blog>({ baseUrl, ...options, retry })
    },
    async script(...responses): Promise<Scripted> {
      const id = await (await fetch(scripted, { method: 'POST', body: JSON.stringify(responses) })).text()
      const baseUrl = `${scripted}/${id}`
      return { baseUrl, sent: async () => (await (await fetch(`${baseUrl}/sent`)).json()) as readonly Sent[] }
    },
  }
}
