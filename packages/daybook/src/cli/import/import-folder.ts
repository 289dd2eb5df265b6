import { resolve } from 'node:path'
import { SYSTEM } from '../../auth/adapter.ts'
import { Closers } from '../../closers.ts'
import type { DaybookConfig } from '../../config/config.ts'
import { Access } from '../../content/access/access.ts'
import type { ContentContext } from '../../content/context.ts'
import type { Values } from '../../content/documents/document.ts'
import type { EntryResponse } from '../../content/reads/index.ts'
import {
  createWriteContext,
  EntryTarget,
  execute,
  parseCreate,
  parseUpdate,
  prepareCreate,
  prepareUpdate,
  type Transact,
} from '../../content/writes/index.ts'
import { SILENT } from '../../log.ts'
import { compileModel } from '../../model/compile.ts'
import { type ContentOptions, openContent, openImages } from '../../service/open-content.ts'
import { INTERRUPTED, withSignal } from '../command.ts'
import { dataFolder, loadConfig } from '../config-file.ts'
import { openCopy } from '../open-store.ts'
import { Progress, printLine, printNotice } from '../output.ts'
import { type FileEntry, toEntry } from './entry.ts'
import { FileError, listFaults } from './file-error.ts'
import { readSource, type SourceFile } from './front-matter.ts'
import { ImportedImages } from './images.ts'
import { type ImportOptions, type ImportPlan, makeImportPlan, resolveSettings } from './plan.ts'
import { Relations } from './relations.ts'
import { ImportCounts, type ImportOutcome, summarizeImport } from './report.ts'
import {
  countFiles,
  groupIntoBatches,
  ImportRoot,
  listLinkedFolders,
  listLocalizedPages,
  listSinglePages,
  readText,
  type SourceFilePath,
  type SourcePage,
} from './source-files.ts'

/**
 * No client waits for a response, and the machine may be busy. One thread renders while this one stores, which takes longer. Its queue
 * is long enough for the time of a commit.
 */
const CONTENT_OPTIONS: ContentOptions = {
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
  const plan = makeImportPlan(model, options)
  const isDry = options.dryRun ?? false
  const pages = options.localeFolders ? listLocalizedPages(folder, model.locales) : listSinglePages(folder)
  const closers = new Closers()
  try {
    const data = resolve(dataFolder(options))
    const { context, files, intake, close } = await (isDry ? openCopy : openContent)(
      model,
      config,
      data,
      CONTENT_OPTIONS,
    )
    closers.defer(close)
    const root = new ImportRoot(folder)
    const relations = new Relations(context)
    const images = new ImportedImages({ context, files, intake, root })
    openImages(files, config, SILENT, closers)
    for (const path of listLinkedFolders(folder))
      printNotice(
        `${path} is a link to a folder, whose files are not imported. To import them, copy them into the folder.`,
      )
    const total = countFiles(folder)
    const counts = new ImportCounts()
    const job = {
      context,
      plan: await resolveSettings(plan, relations, context.store),
      relations,
      images,
      root,
      pages,
      isDry,
    }
    const isInterrupted = await withSignal(async (signal) => {
      using progress = new Progress({ unit: 'files', total })
      await importFiles({ ...job, counts, progress, signal, filesByKey: new Map() })
      return signal.aborted
    })
    process.stdout.write(summarizeImport(plan, counts, { relations, images }, isDry))
    if (isInterrupted) {
      const advice = isDry ? '' : ' The files counted above are stored; the same command imports the rest.'
      printLine(`Stopped: ${total - counts.done} of the files were not imported.${advice}`)
      return INTERRUPTED
    }
    return counts.outcomes.failed + images.counts.failed > 0 ? 1 : 0
  } finally {
    await closers.close()
  }
}

/** Removes the quota, which does not apply to commands. */
function withoutQuota({ assets: { quota: _, ...assets } = {}, ...config }: DaybookConfig): DaybookConfig {
  return { ...config, assets }
}

/** The number of batches at a time: one is rendered while another one is stored. */
const CONCURRENT_BATCHES = 2

/** One run of the import. */
export interface ImportJob {
  readonly context: ContentContext
  readonly plan: ImportPlan
  readonly relations: Relations
  readonly images: ImportedImages
  readonly root: ImportRoot
  readonly pages: Iterable<SourcePage>
  readonly counts: ImportCounts
  readonly progress: Progress
  readonly isDry: boolean
  /** Aborts the run after the current files. */
  readonly signal: AbortSignal
  /** The files of this run by their values of the key field. */
  readonly filesByKey: Map<string, string>
}

/** Imports every file. A file that fails is reported, and the import continues. */
export async function importFiles(job: ImportJob): Promise<void> {
  const batches = groupIntoBatches(job.pages)
  const importBatches = async (): Promise<void> => {
    for (let next = batches.next(); !next.done && !job.signal.aborted; next = batches.next()) {
      await importBatch(job, next.value)
    }
  }
  await Promise.all(Array.from({ length: CONCURRENT_BATCHES }, importBatches))
}

async function importBatch(job: ImportJob, pages: readonly SourcePage[]): Promise<void> {
  const commit = new SharedCommit((work, options) => job.context.store.transaction(work, options), pages.length)
  await Promise.all(pages.map((page) => importPage(job, page, commit).finally(() => commit.leave())))
}

async function importPage(job: ImportJob, page: SourcePage, commit: SharedCommit): Promise<void> {
  const { counts, progress } = job
  let id: string | undefined
  let status: string | undefined
  for (const file of page.files) {
    let outcome: ImportOutcome = 'failed'
    try {
      const entry = await importFile(job, page, file, { id, commit })
      outcome = id !== undefined && entry.outcome === 'updated' ? 'translated' : entry.outcome
      ;({ id, status } = entry)
    } catch (error) {
      for (const line of describeFileFaults(job, file.path, error)) progress.say(line)
    }
    counts.outcomes[outcome] += 1
    progress.update(counts.done, counts.outcomes.failed)
  }
  if (status !== undefined) counts.addStatus(status)
}

interface ImportedEntry {
  readonly id: string
  readonly outcome: ImportOutcome
  /** The status of the entry; in a dry run alone. */
  readonly status: string | undefined
}

interface Destination {
  /** The id of the entry, if another file of the page has created it. */
  readonly id: string | undefined
  readonly commit: SharedCommit
}

async function importFile(
  job: ImportJob,
  page: SourcePage,
  { path, locale }: SourceFilePath,
  destination: Destination,
): Promise<ImportedEntry> {
  const { plan, root, counts } = job
  // The first statements are synchronous, so that files claim keys in the order of their names.
  const source = readSource(readText(root.locate(path)))
  const entry = toEntry(plan, page.name, source)
  counts.addUnusedKeys(entry.unusedKeys)
  counts.addAmbiguous(entry.ambiguous)
  if (destination.id === undefined) claimKey(job, entry.keyValue, path)
  // The body comes first, since its images get their alternative texts from it.
  const hasImages = plan.isRendered && entry.values[plan.body] === source.body
  const text = hasImages ? { [plan.body]: await rewriteImages(job, source, { path, locale }) } : {}
  const values = await resolveReferences(job, { ...entry.values, ...text }, { path, locale })
  return storeEntry(job, { ...entry, values }, locale, destination)
}

/** Replaces names and paths of files with ids. */
async function resolveReferences(
  { plan, relations, images }: ImportJob,
  sourceValues: Values,
  file: SourceFilePath,
): Promise<Values> {
  const values: Values = {}
  for (const [key, value] of Object.entries(sourceValues)) {
    const target = plan.fields.get(key)
    if (target?.refersTo?.holdsFiles) values[key] = await images.resolve(target, value, file)
    else values[key] = target ? await relations.resolve(target, value) : value
  }
  return values
}

/** Imports the images of a text. Images that fail are reported, and stay as they are. */
async function rewriteImages(
  { images, progress }: ImportJob,
  { body, bodyLine }: SourceFile,
  file: SourceFilePath,
): Promise<string> {
  const { text, faults } = await images.rewrite(body, file)
  for (const { line = 0, message } of faults) progress.say(`${file.path}, line ${line + bodyLine - 1}: ${message}`)
  return text
}

/** Claims the key of an entry for a file. A second file with the same key is rejected. */
function claimKey({ filesByKey, plan }: ImportJob, keyValue: string, path: string): void {
  const otherFile = filesByKey.get(keyValue)
  if (otherFile !== undefined)
    throw new FileError(`"${keyValue}" is already used by ${otherFile}`, { path: `/${plan.key}` })
  filesByKey.set(keyValue, path)
}

async function storeEntry(
  job: ImportJob,
  entry: FileEntry,
  locale: string | undefined,
  { id, commit: { transact } }: Destination,
): Promise<ImportedEntry> {
  const { context, plan } = job
  const { collection } = plan
  const { values, initialValues, createdAt } = entry
  const existingId = id ?? (await findImportedEntry(context, plan, entry.keyValue, locale))
  const writeContext = await createWriteContext(context, new Access(context.model, SYSTEM), { locale, transact })
  if (existingId === undefined) {
    const options = createdAt === undefined ? {} : { createdAt }
    const body = parseCreate(writeContext, collection, { ...initialValues, ...values })
    const created = await execute(writeContext, () => prepareCreate(writeContext, collection, body, options))
    return { id: created.id, outcome: 'created', status: getReportedStatus(job, created) }
  }
  const storedRow = await context.store.read.entries.stored(collection, existingId)
  const target = new EntryTarget(writeContext, collection, existingId)
  const body = parseUpdate(writeContext, collection, values)
  const updated = await execute(writeContext, () => prepareUpdate(writeContext, target, body, { ifMatch: '*' }))
  const outcome = updated.seq === storedRow?.seq ? 'unchanged' : 'updated'
  return { id: existingId, outcome, status: getReportedStatus(job, updated) }
}

/** Returns the status that a dry run reports. */
function getReportedStatus({ plan, isDry }: ImportJob, { json }: EntryResponse): string | undefined {
  const { status } = plan.collection
  if (!isDry || !status) return undefined
  const { [status.key]: value } = JSON.parse(json) as Values
  return typeof value === 'string' ? value : undefined
}

async function findImportedEntry(
  { store: { read } }: ContentContext,
  { collection, key }: ImportPlan,
  value: string,
  locale: string | undefined,
): Promise<string | undefined> {
  const row = await read.entries.storedByValue(collection, key, value)
  if (row || key !== collection.slug?.key) return row?.id
  // An entry that was created in another locale may have a slug only there.
  const inLocale = collection.byLocale.get(locale ?? '')
  return inLocale && (await read.entries.bySlug(inLocale, value))?.id
}

/** Delays the writes of a batch until all files are ready, so that the store commits them together. */
class SharedCommit {
  readonly #transact: Transact
  /** The number of files of the batch that are not ready yet. */
  #pending: number
  #waiting: (() => void)[] = []

  /** @param size the number of files in the batch, each of which writes sequentially */
  constructor(transact: Transact, size: number) {
    this.#transact = transact
    this.#pending = size
  }

  readonly transact: Transact = async (work, options) => {
    await this.#waitForAll()
    return this.#transact(work, options)
  }

  /** Removes a file without further writes from the batch. */
  leave(): void {
    this.#pending -= 1
    this.#release()
  }

  #waitForAll(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
      this.leave()
    })
  }

  #release(): void {
    if (this.#pending > 0) return
    const waiting = this.#waiting.splice(0)
    this.#pending = waiting.length
    for (const resume of waiting) resume()
  }
}

/** Returns a line for each fault of a file: `posts/a.md, line 3: stars must be an integer.`, with the line number if it is known. */
function describeFileFaults({ plan, root }: ImportJob, path: string, error: unknown): readonly string[] {
  // The file is read again, so that line numbers cost nothing for files without faults.
  const source = readIfPossible(root, path)
  return listFaults(error).map((fault) => {
    const line = fault.line ?? (fault.path === undefined ? undefined : findLine(plan, source, fault.path))
    return `${path}${line === undefined ? '' : `, line ${line}`}: ${fault.message}`
  })
}

function readIfPossible(root: ImportRoot, path: string): SourceFile | undefined {
  try {
    return readSource(readText(root.locate(path)))
  } catch (error) {
    if (error instanceof FileError || (error instanceof Error && 'code' in error)) return undefined
    throw error
  }
}

/** Returns the line of the front-matter key that fills a field. */
function findLine(
  { settings, findTargets }: ImportPlan,
  source: SourceFile | undefined,
  path: string,
): number | undefined {
  const [field = '', ...inside] = path.slice(1).split('/').map(unescapePointer)
  if (source === undefined || Object.hasOwn(settings, field)) return undefined
  const fills = (key: string): boolean => key === field || findTargets(key).some((target) => target.key === field)
  const key = Object.keys(source.texts).findLast(fills)
  return key === undefined ? undefined : source.findLine(key, inside)
}

const unescapePointer = (segment: string): string => segment.replaceAll('~1', '/').replaceAll('~0', '~')
