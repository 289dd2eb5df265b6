import { StartupError } from '../errors.ts'
import type { Model } from '../model/model.ts'
import { refusePending } from '../service.ts'
import type { Snapshot } from '../store/database.ts'
import { Reader } from '../store/reads/read.ts'
import { whyNotCopied } from '../store/transfer/copy-source.ts'

/**
 * Sees to it that a store can be copied, whatever its config was.
 *
 * @returns what reads it
 * @throws {StartupError} when it cannot, with what to do about it
 */
export async function requireCopyable(snapshot: Snapshot): Promise<Reader> {
  const fault = await whyNotCopied(snapshot, 'The database')
  if (fault !== undefined) throw new StartupError(fault)
  return new Reader(snapshot.dialect, snapshot)
}

/**
 * Sees to it that a store holds what a service with this config would serve.
 *
 * @returns what reads it
 * @throws {StartupError} when it does not, with what to do about it
 */
export async function requireSnapshotFit(snapshot: Snapshot, model: Model): Promise<Reader> {
  const read = await requireCopyable(snapshot)
  await refusePending(read, model)
  return read
}
