import { satisfies } from 'semver'
import type { FaultReport } from '../fields/field.ts'
import { findNearest } from '../nearest.ts'
import { getDaybookVersion } from '../version.ts'
import type { Plugin } from './plugin.ts'

/** The name under which a plugin requires Daybook itself. */
const DAYBOOK = 'daybook'

/** A plugin with the names of those that are set up before it. */
interface Waiting {
  readonly plugin: Plugin
  readonly before: readonly string[]
}

/**
 * The plugins in the order in which they are set up: after those that they require, after those that they name in `after`,
 * and otherwise by name. What cannot be ordered is reported.
 */
export function orderPlugins(plugins: readonly Plugin[], report: FaultReport): readonly Plugin[] {
  const byName = new Map(plugins.map((plugin) => [plugin.name, plugin]))
  for (const plugin of plugins) requireFitting(plugin, byName, report)
  const sorted = [...plugins].sort((a, b) => (a.name < b.name ? -1 : 1))
  const ordered: Plugin[] = []
  let waiting = sorted.map((plugin): Waiting => ({ plugin, before: beforeOf(plugin, byName) }))
  while (waiting.length > 0) {
    const next = waiting.find(({ before }) => before.every((name) => ordered.some((one) => one.name === name)))
    if (!next) {
      reportCycle(waiting, report)
      return [...ordered, ...waiting.map(({ plugin }) => plugin)]
    }
    ordered.push(next.plugin)
    waiting = waiting.filter((one) => one !== next)
  }
  return ordered
}

/** Names of the plugins that are there and come before this one. */
function beforeOf({ requires = {}, after = [] }: Plugin, byName: ReadonlyMap<string, Plugin>): readonly string[] {
  return [...Object.keys(requires), ...after].filter((name) => byName.has(name))
}

function requireFitting(
  { name, requires = {} }: Plugin,
  byName: ReadonlyMap<string, Plugin>,
  report: FaultReport,
): void {
  for (const [needed, range] of Object.entries(requires)) {
    const path = `plugins.${name}.requires.${needed}`
    const version = needed === DAYBOOK ? getDaybookVersion() : byName.get(needed)?.version
    if (version === undefined) {
      const meant = findNearest(needed, [...byName.keys()])
      report.add(path, `there is no plugin "${needed}"; add it to plugins${meant ? `, or write "${meant}"` : ''}`)
    } else if (!satisfies(version, range, { includePrerelease: true })) {
      report.add(
        path,
        `"${name}" needs ${needed} ${range}, and this is ${needed} ${version}; install a version that fits`,
      )
    }
  }
}

/** Names one circle among plugins that wait for each other. */
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
    `these plugins wait for each other: ${circle}; take one of them out of requires or after of another`,
  )
}
