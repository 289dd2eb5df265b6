import type { Plugin } from '../../config/plugin.ts'
import type { Service } from '../../service.ts'
import { loadConfig } from '../config-file.ts'
import { withEmptyService } from '../empty-service.ts'
import { readCommandOptions } from '../options.ts'
import { table } from '../table.ts'
import { UsageError } from '../usage.ts'

/**
 * `daybook plugins`: says what each plugin contributes, in the order in which they are set up. They are set up for it, on an empty
 * store.
 *
 * @throws {UsageError} when the command line is wrong; {ConfigError} with every fault of the config
 */
export async function plugins(args: readonly string[]): Promise<number> {
  const options = readCommandOptions(args, {})
  if (options.positionals.length > 0) throw new UsageError('It takes no names: daybook plugins.')
  const config = await loadConfig(options.text('config'))
  process.stdout.write(await withEmptyService(config, async (service) => printPlugins(service)))
  return 0
}

function printPlugins({ model, routes }: Service): string {
  if (model.plugins.length === 0) return 'The config has no plugins.\n'
  return model.plugins
    .map((plugin) => {
      const own = routes.filter((route) => route.plugin === plugin.name)
      const head = `${plugin.name} ${plugin.version}${plugin.system ? ', may do everything (asSystem)' : ''}\n`
      return `${head}${table(contributions(plugin, own))}`
    })
    .join('\n')
}

/** A line for each thing that a plugin contributes; what is of one kind stands below the first. */
function contributions(plugin: Plugin, routes: Service['routes']): readonly (readonly string[])[] {
  const { collections = {}, globals = {}, fields = {}, hooks = {}, requires = {} } = plugin
  const lines: Readonly<Record<string, readonly string[]>> = {
    requires: Object.entries(requires).map(([name, range]) => `${name} ${range}`),
    collections: Object.keys(collections),
    globals: Object.keys(globals),
    fields: Object.entries(fields).map(([key, added]) => `${key}: ${Object.keys(added).join(', ')}`),
    hooks: Object.values(hooks).flatMap(hooksByDocument),
    routes: routes.map(({ method, path, protection }) => `${method} ${path} (${protection})`),
  }
  return Object.entries(lines).flatMap(([kind, own]) =>
    own.map((line, index) => [`  ${index === 0 ? kind : ''}`, line]),
  )
}

const hooksByDocument = (documents: Readonly<Record<string, object>>): readonly string[] =>
  Object.entries(documents).map(([key, own]) => `${key}: ${Object.keys(own).join(', ')}`)
