import type { Service } from '../../service.ts'
import { loadConfig } from '../config-file.ts'
import { withEmptyService } from '../empty-service.ts'
import { readCommandOptions } from '../options.ts'
import { UsageError } from '../usage.ts'

const OPTIONS = { all: { type: 'boolean' } } as const

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
  const isWhole = options.flag('all')
  process.stdout.write(await withEmptyService(config, (service, token) => printDocument(service, isWhole, token)))
  return 0
}

/** @param isWhole whether a session reads it */
async function printDocument(service: Service, isWhole: boolean, serviceToken: string): Promise<string> {
  const headers = isWhole ? { Authorization: `Bearer ${serviceToken}` } : {}
  const response = await service.fetch(new Request('http://localhost/openapi.json', { headers }))
  return `${JSON.stringify(await response.json(), null, 2)}\n`
}
