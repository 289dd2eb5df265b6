import type { Log } from '../log.ts'
import type { PluginLog } from './hooks.ts'

/** A log whose lines name a plugin. */
export function pluginLog(log: Log, plugin: string): PluginLog {
  return {
    info: (fields, message) => log.info({ ...fields, plugin }, message),
    warn: (fields, message) => log.warn({ ...fields, plugin }, message),
    error: (fields, message) => log.error({ ...fields, plugin }, message),
  }
}
