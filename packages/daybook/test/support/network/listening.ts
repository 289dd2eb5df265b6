import type { DaybookConfig } from 'daybook'
import { type Listening, type ServeOptions, serve } from 'daybook/node'
import { createTestService, type TestService } from 'daybook/testing'

/** A test service behind a real server. */
export interface ListeningService extends Listening, AsyncDisposable {
  readonly service: TestService
  /** The header line of the service token. */
  readonly authorization: string
}

/** Starts a service of its own on a free port of this machine; on one store, as its users ask about sockets. */
export async function listen(config: DaybookConfig, options: ServeOptions = {}): Promise<ListeningService> {
  const service = await createTestService(config)
  const listening = await serve(service, { ...options, port: 0 })
  return {
    ...listening,
    service,
    authorization: `Authorization: Bearer ${service.token}`,
    [Symbol.asyncDispose]: () => listening.stop(100),
  }
}
