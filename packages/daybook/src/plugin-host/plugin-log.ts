import type { Contributor } from '../config/plugin.ts'
import type { Log } from '../log.ts'
import type { PluginLog } from './hooks.ts'

/** A log whose lines name a plugin; those of the config itself have no name. */
export function pluginLog(log: Log, { name: plugin }: Pick<Contributor, 'name'>): PluginLog {
  const owner = plugin === undefined ? {} : { plugin }
  return {
    info: (fields, message) => log.info({ ...fields, ...owner }, message),
    warn: (fields, message) => log.warn({ ...fields, ...owner }, message),
    error: (fields, message) => log.error({ ...fields, ...owner }, message),
  }
}
