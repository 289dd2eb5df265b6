import { resolve } from 'node:path'
import type { DaybookConfig } from '../../config/config.ts'
import { SILENT } from '../../log.ts'
import { compileModel } from '../../model/compile.ts'
import { Opened } from '../../opened.ts'
import { type ContentOptions, openContent, openImages } from '../../service/open-content.ts'
import { INTERRUPTED, withSignal } from '../command.ts'
import { dataFolder, loadConfig } from '../config-file.ts'
import { openCopy } from '../open-store.ts'
import { Progress, printLine, printNotice } from '../output.ts'
import { ImportedImages } from './images.ts'
import { type ImportOptions, makePlan, resolveSettings } from './plan.ts'
import { Relations } from './relations.ts'
import { ImportTally, summarizeImport } from './report.ts'
import { importFiles } from './run.ts'
import { countFiles, ImportRoot, linkedFolders, localizedPages, singlePages } from './source-files.ts'

/**
 * No client waits for an answer, and the machine may be busy. One thread renders while this one stores, which takes longer, and
 * has texts enough for the time of a commit.
 */
const UNSERVED: ContentOptions = {
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
    const { engine, files, intake, close } = await (isDry ? openCopy : openContent)(model, config, data, UNSERVED)
    opened.defer(close)
    const root = new ImportRoot(folder)
    const relations = new Relations(engine)
    const images = new ImportedImages({ engine, files, intake, root })
    openImages(files, config, SILENT, opened)
    for (const path of linkedFolders(folder))
      printNotice(`${path} is a link to a folder, and its pages are not imported. Copy them to import them.`)
    const total = countFiles(folder)
    const tally = new ImportTally()
    const job = {
      engine,
      plan: await resolveSettings(plan, relations, engine.store),
      relations,
      images,
      root,
      pages,
      isDry,
    }
    const isInterrupted = await withSignal(async (signal) => {
      using progress = new Progress({ unit: 'files', total })
      await importFiles({ ...job, tally, progress, signal, filesByKey: new Map() })
      return signal.aborted
    })
    process.stdout.write(summarizeImport(plan, tally, { relations, images }, isDry))
    if (isInterrupted) {
      const advice = isDry ? '' : ' What is listed here is stored; the same command brings in the rest.'
      printLine(`stopped before ${total - tally.done} of the files.${advice}`)
      return INTERRUPTED
    }
    return tally.outcomes.failed + images.counts.left > 0 ? 1 : 0
  } finally {
    await opened.close()
  }
}

/** Removes the quota: whoever runs the command has the whole store. */
function withoutQuota({ assets: { quota: _, ...assets } = {}, ...config }: DaybookConfig): DaybookConfig {
  return { ...config, assets }
}
