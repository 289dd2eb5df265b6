import type { AuthHost } from '../auth/adapter.ts'
import type { DaybookConfig } from '../config/config.ts'
import { SILENT } from '../log.ts'
import { compileModel } from '../model/compile.ts'
import type { Model } from '../model/model.ts'
import { openEngine } from '../service.ts'
import { loadConfig } from './config-file.ts'
import { type CommandLine, dataFolder } from './options.ts'
import { UsageError } from './usage.ts'

/** The store of a config, opened for what is kept about who may get in. */
export interface OpenHost extends AsyncDisposable {
  readonly config: DaybookConfig
  readonly model: Model
  readonly host: AuthHost
}

/** Opens the store of a command line. A service may run on it meanwhile. */
export async function openHost(options: CommandLine): Promise<OpenHost> {
  const config = await loadConfig(options.text('config'))
  const model = compileModel(config)
  const { engine, close } = await openEngine(model, config, dataFolder(options), { isServing: false })
  return { config, model, host: { records: engine.store.records, log: SILENT }, [Symbol.asyncDispose]: close }
}

const DAY_MS = 24 * 60 * 60 * 1000

/**
 * When something ends that lasts for a number of days, as ISO 8601 in UTC.
 *
 * @throws {UsageError} for anything but 1 to 3650 days
 */
export function endOf(days: string): string {
  const count = Number(days)
  if (!/^\d+$/.test(days) || count < 1 || count > 3650) throw new UsageError(`--days takes 1 to 3650, not "${days}".`)
  return new Date(Date.now() + count * DAY_MS).toISOString()
}

/** Roles as they are told apart in lists of them. */
const ROLE = /^[\w.-]{1,48}$/

/** @throws {UsageError} for a role that cannot be kept */
export function rolesIn(options: CommandLine, usual: string): readonly string[] {
  const roles = options.texts('role')
  const odd = roles.find((role) => !ROLE.test(role))
  if (odd !== undefined) throw new UsageError(`--role takes letters, digits, _, . and -, not "${odd}".`)
  return roles.length === 0 ? [usual] : roles
}

/** Lines whose cells stand below each other. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_cell, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)))
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, i) => cell.padEnd(widths[i] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('')
}
