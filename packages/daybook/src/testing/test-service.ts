import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DaybookConfig } from '../config/config.ts'
import { createService, type Service, type ServiceOptions } from '../service.ts'

/** A service on a store of its own, for one test. */
export interface TestService<C extends DaybookConfig = DaybookConfig> extends Service<C> {
  /** The folder of its store; gone after `close`. */
  readonly data: string
  /** The service principal's token. */
  readonly token: string
  /** Asks like a client: a path, and what `fetch` takes. */
  request(path: string, init?: RequestInit): Promise<Response>
}

/** A token that every test service takes. */
const TEST_TOKEN = 'test-token-of-the-service-principal'

/**
 * Makes a service on a fresh store in a temporary folder.
 *
 * @example
 * ```ts
 * await using service = await createTestService(config)
 * const response = await service.request('/api/posts')
 * ```
 */
export async function createTestService<const C extends DaybookConfig>(
  config: C,
  options: Omit<ServiceOptions, 'data' | 'serviceToken'> = {},
): Promise<TestService<C> & AsyncDisposable> {
  const data = await mkdtemp(join(tmpdir(), 'daybook-'))
  return startTestService(data, (fixed) =>
    createService(config, { strict: true, exposed: false, ...options, ...fixed }),
  )
}

/** Serves from a folder that goes with the service; also when the service does not start. */
export async function startTestService<C extends DaybookConfig>(
  data: string,
  start: (fixed: Pick<ServiceOptions, 'data' | 'serviceToken'>) => Promise<Service<C>>,
): Promise<TestService<C> & AsyncDisposable> {
  const forget = (): Promise<void> => rm(data, { recursive: true, force: true })
  const service = await start({ data, serviceToken: TEST_TOKEN }).catch(async (error) => {
    await forget()
    throw error
  })
  const close = async (): Promise<void> => {
    await service.close()
    await forget()
  }
  return {
    ...service,
    data,
    token: TEST_TOKEN,
    request: (path, init) => service.fetch(new Request(new URL(path, 'http://daybook.test'), init)),
    close,
    [Symbol.asyncDispose]: close,
  }
}
