import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DaybookConfig } from '../config/config.ts'
import { createService, type Service } from '../service.ts'

/**
 * Does work with a service of a config on an empty store, in the folder for temporary files. The store that the config names is
 * not opened.
 *
 * @param work gets the service and the token of its service principal
 */
export async function withEmptyService<T>(
  { database: _, seed: __, ...config }: DaybookConfig,
  work: (service: Service, serviceToken: string) => Promise<T>,
): Promise<T> {
  const data = await mkdtemp(join(tmpdir(), 'daybook-empty-'))
  const serviceToken = randomBytes(32).toString('base64url')
  try {
    const service = await createService(config, { data, serviceToken })
    try {
      return await work(service, serviceToken)
    } finally {
      await service.close()
    }
  } finally {
    await rm(data, { recursive: true, force: true })
  }
}
