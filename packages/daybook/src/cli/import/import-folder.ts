import { resolve } from 'node:path'
import type { DaybookConfig } from '../../config/config.ts'
import { SILENT } from '../../log.ts'
import { compileModel } from '../../model/compile.ts'
import { Opened } from '../../opened.ts'
import { type EngineOptions, openEngine, openImages } from '../../service.ts'
import { INTERRUPTED, withSignal } from '../command.ts'
import { dataFolder, loadConfig } from '../config-file.ts'
import { openCopy } from '../open-store.ts'
import { Progress } from '../output.ts'
import { ImportedImages } from './images.ts'
import { type ImportOptions, type ImportPlan, makePlan } from './plan.ts'
import { Relations } from './relations.ts'
import { importFiles } from './run.ts'
import { settleSettings } from './settle-settings.ts'
import { countFiles, linkedFolders } from './source/files.ts'
import { ImportRoot } from './source/import-root.ts'
import { localizedPages, singlePages } from './source/pages.ts'
import { summarizeImport } from './summary.ts'
import { ImportTally } from './tally.ts'

/**
 * No client waits for an answer, and the machine may be busy. One thread renders while this one stores, which takes longer, and
 * has texts enough for the time of a commit.
 */
const UNSERVED: EngineOptions = {
  renderMs: 60_000,
  renderThreads: 1,
  renderDepth: 24,
  isServing: false,
}


/**
 * `daybook import DIR`: brings in a folder of Markdown and MDX files. The status is 1 if some of them failed.
 *
 * @throws {UsageError} if the options name fields that do not exist
 */
export async function importFolder(folder: string, options: ImportOptions): Promise<number> {
  const config = withoutQuota(await loadConfig(options.config))
  const model = compileModel(config)
  const plan = makePlan(model, options)
  const isDry = options.dryRun ?? false
  const pages = options.localeFolders ? localizedPages(folder, model.locales) : singlePages(folder)
  const opened = new Opened()
  try {
    const data = resolve(dataFolder(options))
    const { engine, files, intake, close } = await (isDry ? openCopy : openEngine)(model, config, data, UNSERVED)
    opened.defer(close)
    const root = new ImportRoot(folder)
    const relations = new Relations(engine)
    const images = new ImportedImages({ engine, files, intake, root })
    openImages(files, config, SILENT, opened)
    const total = countFiles(folder)
    for (const path of linkedFolders(folder)) {
      process.stderr.write(`${path} is a link to a folder, and its pages are not imported. Copy them to import them.\n`)
    }
    const settled = await settleSettings(plan, relations, engine.store)
    const { tally, interrupted } = await runImport(
      { engine, plan: settled, relations, images, root, pages, isDry },
      total,
    )
    process.stdout.write(summarizeImport(plan, tally, { relations, images }, isDry))
    if (interrupted) return sayInterrupted(total - tally.done, isDry)
    return tally.outcomes.failed + images.counts.left > 0 ? 1 : 0
  } finally {
    await opened.close()
  }
}

/** Those who run the command have the whole store. */
function withoutQuota({ assets: { quota: _, ...assets } = {}, ...config }: DaybookConfig): DaybookConfig {
  return { ...config, assets }
}

type JobParts = Pick<
  Parameters<typeof importFiles>[0],
  'engine' | 'relations' | 'images' | 'root' | 'pages' | 'isDry'
> & {
  readonly plan: ImportPlan
}

async function runImport(parts: JobParts, total: number): Promise<{ tally: ImportTally; interrupted: boolean }> {
  const tally = new ImportTally()
  using progress = new Progress({ unit: 'files', total })
  const interrupted = await withSignal(async (signal) => {
    await importFiles({ ...parts, tally, progress, signal, claims: new Map() })
    return signal.aborted
  })
  return { tally, interrupted }
}

function sayInterrupted(left: number, isDry: boolean): number {
  const advice = isDry ? '' : ' What is listed here is stored; the same command brings in the rest.'
  process.stdout.write(`stopped before ${left} of the files.${advice}\n`)
  return INTERRUPTED
}
