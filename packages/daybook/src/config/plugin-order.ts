import { satisfies } from 'semver'
import type { FaultReport } from '../fields/field.ts'
import { findNearest } from '../nearest.ts'
import { getDaybookVersion } from '../version.ts'
import type { Plugin } from './plugin.ts'

/** The name of Daybook itself in `requires`. */
const DAYBOOK = 'daybook'

/** A plugin with the names of plugins that are set up before it. */
interface Waiting {
  readonly plugin: Plugin
  readonly before: readonly string[]
}

/**
 * Orders plugins for their setup: after those in `requires` and `after`, and otherwise by name. Reports missing plugins, versions that do not
 * fit, and cycles.
 */
export function orderPlugins(plugins: readonly Plugin[], report: FaultReport): readonly Plugin[] {
  const byName = new Map(plugins.map((plugin) => [plugin.name, plugin]))
  for (const plugin of plugins) checkRequirements(plugin, byName, report)
  const sorted = [...plugins].sort((a, b) => (a.name < b.name ? -1 : 1))
  const ordered: Plugin[] = []
  let waiting = sorted.map((plugin): Waiting => ({ plugin, before: listBefore(plugin, byName) }))
  while (waiting.length > 0) {
    const next = waiting.find(({ before }) => before.every((name) => ordered.some((plugin) => plugin.name === name)))
    if (!next) {
      reportCycle(waiting, report)
      return [...ordered, ...waiting.map(({ plugin }) => plugin)]
    }
    ordered.push(next.plugin)
    waiting = waiting.filter((item) => item !== next)
  }
  return ordered
}

/** Lists the names of existing plugins that come before one. */
function listBefore({ requires = {}, after = [] }: Plugin, byName: ReadonlyMap<string, Plugin>): readonly string[] {
  return [...Object.keys(requires), ...after].filter((name) => byName.has(name))
}

function checkRequirements(
  { name, requires = {} }: Plugin,
  byName: ReadonlyMap<string, Plugin>,
  report: FaultReport,
): void {
  for (const [requiredName, range] of Object.entries(requires)) {
    const path = `plugins.${name}.requires.${requiredName}`
    const version = requiredName === DAYBOOK ? getDaybookVersion() : byName.get(requiredName)?.version
    if (version === undefined) {
      const meant = findNearest(requiredName, [...byName.keys()])
      report.add(path, `is not a plugin of the config. Add it to plugins${meant ? `, or write "${meant}"` : ''}`)
    } else if (!satisfies(version, range, { includePrerelease: true })) {
      report.add(path, `is ${range}, but ${requiredName} has the version ${version}. Install a version that fits`)
    }
  }
}

/** Reports one cycle of plugins that wait for each other. */
function reportCycle(waiting: readonly Waiting[], report: FaultReport): void {
  const trail: string[] = []
  let at = waiting[0]
  while (at && !trail.includes(at.plugin.name)) {
    trail.push(at.plugin.name)
    const { before } = at
    at = waiting.find(({ plugin }) => before.includes(plugin.name))
  }
  const start = at?.plugin.name ?? ''
  const circle = [...trail.slice(trail.indexOf(start)), start].join(' -> ')
  report.add(
    `plugins.${start}`,
    `is in a cycle of plugins that wait for each other: ${circle}. Leave one of them out of requires or after of another`,
  )
}
