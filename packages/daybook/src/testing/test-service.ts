import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DaybookConfig } from '../config/config.ts'
import { createService, type Service, type ServiceOptions } from '../service.ts'

/** A service with a separate store, for one test. */
export interface TestService<C extends DaybookConfig = DaybookConfig> extends Service<C> {
  /** The folder of its store, which `close` removes. */
  readonly data: string
  /** The token of the service principal. */
  readonly token: string
  /** Sends a request. @param path the path and query @param init the options of `fetch` */
  request(path: string, init?: RequestInit): Promise<Response>
}

const TEST_TOKEN = 'test-token-of-the-service-principal'

/**
 * Creates a service with a new store in a temporary folder.
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

/** Starts a service with a data folder, which is removed when the service closes or fails to start. */
export async function startTestService<C extends DaybookConfig>(
  data: string,
  start: (fixed: Pick<ServiceOptions, 'data' | 'serviceToken'>) => Promise<Service<C>>,
): Promise<TestService<C> & AsyncDisposable> {
  const removeData = (): Promise<void> => rm(data, { recursive: true, force: true })
  const service = await start({ data, serviceToken: TEST_TOKEN }).catch(async (error) => {
    await removeData()
    throw error
  })
  const close = async (): Promise<void> => {
    await service.close()
    await removeData()
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
