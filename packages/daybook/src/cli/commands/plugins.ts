import type { Plugin } from '../../config/plugin.ts'
import type { Service } from '../../service.ts'
import { CliCommand, type CommonOptions } from '../command.ts'
import { withEmptyService } from '../open-store.ts'
import { formatTable } from '../output.ts'

/**
 * `daybook plugins`: prints the contributions of each plugin, in the order of their setup. The setup runs on an empty store.
 */
export const plugins: CliCommand = new CliCommand('plugins').runs(async (options: CommonOptions) => {
  process.stdout.write(await withEmptyService(options, async (service) => describePlugins(service)))
  return 0
})

function describePlugins({ model, routes }: Service): string {
  if (model.plugins.length === 0) return 'The config has no plugins.\n'
  return model.plugins
    .map((plugin) => {
      const pluginRoutes = routes.filter((route) => route.plugin === plugin.name)
      const head = `${plugin.name} ${plugin.version}${plugin.system ? ', has all rights (asSystem)' : ''}\n`
      return `${head}${formatTable(listContributionRows(plugin, pluginRoutes))}`
    })
    .join('\n')
}

/** Returns a row for each contribution of a plugin. The first of a kind names it. */
function listContributionRows(plugin: Plugin, routes: Service['routes']): readonly (readonly string[])[] {
  const { collections = {}, globals = {}, fields = {}, hooks = {}, requires = {} } = plugin
  const lines: Readonly<Record<string, readonly string[]>> = {
    requires: Object.entries(requires).map(([name, range]) => `${name} ${range}`),
    collections: Object.keys(collections),
    globals: Object.keys(globals),
    fields: Object.entries(fields).map(([key, addedFields]) => `${key}: ${Object.keys(addedFields).join(', ')}`),
    hooks: Object.values(hooks).flatMap(describeHooks),
    routes: routes.map(({ method, path, protection }) => `${method} ${path} (${protection})`),
  }
  return Object.entries(lines).flatMap(([kind, values]) =>
    values.map((value, index) => [`  ${index === 0 ? kind : ''}`, value]),
  )
}

const describeHooks = (documents: Readonly<Record<string, object>>): readonly string[] =>
  Object.entries(documents).map(([key, hooks]) => `${key}: ${Object.keys(hooks).join(', ')}`)
