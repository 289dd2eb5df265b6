import type { DaybookConfig } from '../config/config.ts'
import { findExposureFaults, findMissingSecrets, requireNoExposure } from '../content/access/exposure.ts'
import type { ContentContext } from '../content/context.ts'
import { findHiddenFields, findPendingRenames, findUnfilledFields } from '../content/transfer/index.ts'
import { StartupError } from '../errors.ts'
import type { Log } from '../log.ts'
import type { Model } from '../model/model.ts'
import type { Reader } from '../store/reads/reader.ts'
import { openFilesWarning } from '../store/sqlite/data-folder.ts'
import { databaseFile } from '../store/store.ts'
import { unfinishedRestoreMessage } from '../store/tables/layout.ts'

/**
 * Rejects pending renames: reads would show the renamed fields empty, and writes would lose their values.
 *
 * @throws {StartupError} if a rename must be applied first
 */
export async function requireNoPendingRenames(read: Reader, model: Model): Promise<void> {
  const renames = await findPendingRenames(read, model)
  if (renames.length === 0) return
  const lines = renames.map(({ path, message, count }) => `  ${path} ${message} (${count})`)
  throw new StartupError(
    `The config renames fields of stored content:\n${lines.join('\n')}\nRun: daybook migrate --apply`,
  )
}

/** @throws {StartupError} if a restore has not finished, since other writes would prevent it from continuing */
export async function requireNoUnfinishedRestore(read: Reader): Promise<void> {
  const note = await read.system.restoreNote()
  if (note?.isDone === false) throw new StartupError(unfinishedRestoreMessage('This database'))
}

/**
 * Warns of missing secrets, and returns all reasons why no other machine may reach the service.
 *
 * @throws {StartupError} if there are such reasons, and other machines reach the service
 */
export function checkExposure(
  config: DaybookConfig,
  model: Model,
  { isExposed, log }: { readonly isExposed: boolean; readonly log: Log },
): readonly string[] {
  const faults = findExposureFaults(config, model)
  if (isExposed) requireNoExposure(faults, 'where other machines reach it (NODE_ENV=production, or exposed: true)')
  for (const fault of findMissingSecrets(config))
    log.warn({}, `${fault} Until it is set, only this machine may reach the service.`)
  return faults
}

/** Warns of files that other users can read, of values that a changed config hides, and of empty required fields. */
export async function logStoreWarnings(
  { database }: DaybookConfig,
  data: string,
  { store, model }: ContentContext,
  log: Log,
): Promise<void> {
  const openFiles = database ? undefined : openFilesWarning(databaseFile(data))
  if (openFiles) log.warn({}, openFiles)
  // Hidden values seem to be lost, since reads and filters ignore them.
  const hidden = await findHiddenFields(store.read, model)
  if (hidden.length > 0)
    log.warn(
      { fields: hidden },
      'Some stored values are no longer valid for their fields, and are hidden. List them with: daybook migrate',
    )
  // Entries that lack required values are served as they are.
  const unfilled = await findUnfilledFields(store, model)
  if (unfilled.length > 0)
    log.warn(
      { fields: unfilled },
      'Required fields of some entries are empty, and the config can fill them in. Run: daybook migrate --apply',
    )
}
