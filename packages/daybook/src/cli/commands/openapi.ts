import { CliCommand, type CommonOptions, defineOption } from '../command.ts'
import { withEmptyService } from '../open-store.ts'

interface OpenApiOptions extends CommonOptions {
  readonly all?: boolean
}

/** `daybook openapi`: prints the OpenAPI document of the config. It opens an empty store alone, in the folder for temporary files. */
export const openapi: CliCommand = new CliCommand('openapi')
  .takes(
    defineOption('--all', 'Includes what only a session can see, such as private collections.', 'only what is public'),
  )
  .runs(async ({ all, ...options }: OpenApiOptions) => {
    const text = await withEmptyService(options, async (service, serviceToken) => {
      const headers = all ? { Authorization: `Bearer ${serviceToken}` } : {}
      const response = await service.fetch(new Request('http://localhost/openapi.json', { headers }))
      return JSON.stringify(await response.json(), null, 2)
    })
    process.stdout.write(`${text}\n`)
    return 0
  })
