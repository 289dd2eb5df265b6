import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DaybookConfig } from '../../config/config.ts'
import { createService } from '../../service.ts'
import { loadConfig } from '../config-file.ts'
import { readCommandOptions } from '../options.ts'
import { UsageError } from '../usage.ts'

const OPTIONS = {
  /** Also what only a session sees, such as private collections. @default what everyone may know */
  all: { type: 'boolean' },
} as const

/**
 * `daybook openapi`: prints the OpenAPI document that the config makes. No store is opened but an empty one, in the folder for
 * temporary files.
 *
 * @throws {UsageError} when the command line is wrong; {ConfigError} with every fault of the config
 */
export async function openapi(args: readonly string[]): Promise<number> {
  const options = readCommandOptions(args, OPTIONS)
  if (options.positionals.length > 0) throw new UsageError('It takes no names: daybook openapi > openapi.json.')
  const config = await loadConfig(options.text('config'))
  const data = await mkdtemp(join(tmpdir(), 'daybook-openapi-'))
  try {
    process.stdout.write(await printDocument(config, data, options.flag('all')))
    return 0
  } finally {
    await rm(data, { recursive: true, force: true })
  }
}

/** @param isWhole whether a session reads it */
async function printDocument(
  { database: _, seed: __, ...config }: DaybookConfig,
  data: string,
  isWhole: boolean,
): Promise<string> {
  const serviceToken = randomBytes(32).toString('base64url')
  const service = await createService(config, { data, serviceToken })
  try {
    const headers = isWhole ? { Authorization: `Bearer ${serviceToken}` } : {}
    const response = await service.fetch(new Request('http://localhost/openapi.json', { headers }))
    return `${JSON.stringify(await response.json(), null, 2)}\n`
  } finally {
    await service.close()
  }
}
