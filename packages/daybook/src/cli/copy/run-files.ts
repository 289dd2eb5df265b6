import { resolve } from 'node:path'
import type { BlobStore } from '../../assets/blob-store.ts'
import { disk } from '../../assets/disk.ts'
import type { DaybookConfig } from '../../config/config.ts'
import { countStoredFiles } from '../../content/assets/stored-files.ts'
import { compileModel } from '../../model/compile.ts'
import { Opened } from '../../opened.ts'
import { Reader } from '../../store/reads/read.ts'
import { loadConfig } from '../config-file.ts'
import { copyFiles } from '../files/copy-files.ts'
import { requireSnapshotFit } from '../fit-snapshot.ts'
import { openSnapshot } from '../open-snapshot.ts'
import { type CommandLine, dataFolder } from '../options.ts'
import { UsageError } from '../usage.ts'

/**
 * `daybook copy --files-from CONFIG`: copies the files of all assets to the store of files of the config. A service may run
 * meanwhile. Answers 0 when all of them are there, else 1.
 *
 * @throws {UsageError} when the command line names stores of content, too
 */
export async function copyAssetFiles(options: CommandLine): Promise<number> {
  if (options.has('from') || options.has('to') || options.positionals.length > 0)
    throw new UsageError(
      '--files-from copies files alone: daybook copy --files-from OLD_CONFIG. Leave out --from and --to.',
    )
  const data = resolve(dataFolder(options))
  const config = await loadConfig(options.text('config'))
  const former = await loadConfig(options.text('files-from'))
  const model = compileModel(config)
  const opened = new Opened()
  const openFiles = async ({ assets = {} }: DaybookConfig): Promise<BlobStore> => {
    const blobs = await (assets.store ?? disk()).open({ data })
    opened.defer(() => blobs.close())
    return blobs
  }
  try {
    const snapshot = await openSnapshot(config, data)
    opened.defer(() => snapshot.close())
    await requireSnapshotFit(snapshot, model)
    const read = new Reader(snapshot.dialect, snapshot)
    const [from, to] = [await openFiles(former), await openFiles(config)]
    const total = await countStoredFiles(model, read)
    const isVerified = options.flag('verify-only')
    const { copied, there, faulty } = await copyFiles({
      model,
      read,
      from: async ({ path }) => (await from.read(path))?.content,
      to,
      total,
      isVerified,
    })
    process.stdout.write(`files: ${copied} copied, ${there} there already, ${faulty} missing\n`)
    return faulty === 0 ? 0 : 1
  } finally {
    await opened.close()
  }
}
