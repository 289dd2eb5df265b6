import { listen } from '../../../daybook/test/support/network/listening.ts'
import type { ServerUrls } from '../suite/test-context.ts'
import { blogFor } from './config.ts'
import { ScriptedServer } from './scripted-server.ts'

/** Starts the servers of the suite on free ports. Pages of these origins may send requests to them. */
export async function startServers(origins: readonly string[]): Promise<ServerUrls & AsyncDisposable> {
  const scripted = await ScriptedServer.start()
  const listening = await listen(blogFor(origins))
  // Accounts are loaded with the first credential, which may exceed the timeout of a request on a busy machine.
  await listening.service.request('/api/cms/auth/session', { headers: { authorization: 'Bearer nobody' } })
  return {
    service: listening.url,
    token: listening.service.token,
    scripted: scripted.url,
    async [Symbol.asyncDispose]() {
      await listening[Symbol.asyncDispose]()
      await scripted[Symbol.asyncDispose]()
    },
  }
}
