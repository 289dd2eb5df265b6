import { SYSTEM } from '../../auth/adapter.ts'
import { Access } from '../../content/access/access.ts'
import type { EntryAnswer } from '../../content/answer.ts'
import type { Values } from '../../content/document.ts'
import type { Engine } from '../../content/engine.ts'
import { writeContext } from '../../content/writes/context.ts'
import { prepareCreate, prepareUpdate } from '../../content/writes/entries.ts'
import { carryOut } from '../../content/writes/prepared.ts'
import type { Progress } from '../output.ts'
import { type FileEntry, toEntry } from './entry.ts'
import { faultLines } from './fault-lines.ts'
import { FileError } from './file-error.ts'
import type { ImportedImages } from './images.ts'
import type { ImportPlan } from './plan.ts'
import type { Relations } from './relations.ts'
import { SharedCommit } from './shared-commit.ts'
import { pageBatches } from './source/batches.ts'
import { readText } from './source/files.ts'
import { readSource, type SourceFile } from './source/front-matter.ts'
import type { ImportRoot } from './source/import-root.ts'
import type { SourceFilePath, SourcePage } from './source/pages.ts'
import type { ImportOutcome, ImportTally } from './tally.ts'

/** How many batches are worked on at once: one is rendered while another one is stored. */
const LANES = 2

/** One run of the import. */
export interface ImportJob {
  readonly engine: Engine
  readonly plan: ImportPlan
  readonly relations: Relations
  readonly images: ImportedImages
  readonly root: ImportRoot
  readonly pages: Iterable<SourcePage>
  readonly tally: ImportTally
  readonly progress: Progress
  readonly isDry: boolean
  /** Ends the run after the files that are being worked on. */
  readonly signal: AbortSignal
  /** The file of this run that holds a value of the key field. */
  readonly claims: Map<string, string>
}

/** Brings in every file; one that fails is named, and the others go on. */
export async function importFiles(job: ImportJob): Promise<void> {
  const batches = pageBatches(job.pages)
  const lane = async (): Promise<void> => {
    for (let next = batches.next(); !next.done && !job.signal.aborted; next = batches.next()) {
      await importBatch(job, next.value)
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
}

async function importBatch(job: ImportJob, pages: readonly SourcePage[]): Promise<void> {
  const commit = new SharedCommit((work, options) => job.engine.store.transaction(work, options), pages.length)
  await Promise.all(pages.map((page) => importPage(job, page, commit).finally(() => commit.leave())))
}

async function importPage(job: ImportJob, page: SourcePage, commit: SharedCommit): Promise<void> {
  const { tally, progress } = job
  let id: string | undefined
  let status: string | undefined
  for (const file of page.files) {
    let outcome: ImportOutcome = 'failed'
    try {
      const stored = await bringIn(job, page, file, { id, commit })
      outcome = id !== undefined && stored.outcome === 'updated' ? 'translated' : stored.outcome
      ;({ id, status } = stored)
    } catch (error) {
      for (const line of faultLines(job, file.path, error)) progress.say(line)
    }
    tally.outcomes[outcome] += 1
    progress.update(tally.done, tally.outcomes.failed)
  }
  if (status !== undefined) tally.addStatus(status)
}

/** An entry, and what became of it. */
interface Stored {
  readonly id: string
  readonly outcome: ImportOutcome
  /** In a dry run. */
  readonly status: string | undefined
}

/** Where a file's entry goes. */
interface Destination {
  /** Of the entry that another of the page's files made. */
  readonly id: string | undefined
  readonly commit: SharedCommit
}

async function bringIn(
  job: ImportJob,
  page: SourcePage,
  { path, locale }: SourceFilePath,
  destination: Destination,
): Promise<Stored> {
  const { plan, root, tally } = job
  // Nothing is awaited up to here, so that files take their keys in the order of their names.
  const source = readSource(readText(root.locate(path)))
  const entry = toEntry(plan, page.name, source)
  tally.addUnused(entry.unused)
  tally.addSeveral(entry.several)
  if (destination.id === undefined) claim(job, entry.keyValue, path)
  // The text comes first: it says what its images show.
  const hasImages = plan.isRendered && entry.values[plan.body] === source.body
  const text = hasImages ? { [plan.body]: await bringImages(job, source, { path, locale }) } : {}
  const values = await resolveReferences(job, { ...entry.values, ...text }, { path, locale })
  return store(job, { ...entry, values }, locale, destination)
}

/** Ids in place of names, and of the paths of files. */
async function resolveReferences(
  { plan, relations, images }: ImportJob,
  named: Values,
  file: SourceFilePath,
): Promise<Values> {
  const values: Values = {}
  for (const [key, value] of Object.entries(named)) {
    const target = plan.fields.get(key)
    if (target?.refersTo?.holdsFiles) values[key] = await images.resolve(target, value, file)
    else values[key] = target ? await relations.resolve(target, value) : value
  }
  return values
}

/** Names the images that cannot be brought, and leaves them as they are. */
async function bringImages(
  { images, progress }: ImportJob,
  { body, bodyLine }: SourceFile,
  file: SourceFilePath,
): Promise<string> {
  const { text, faults } = await images.rewrite(body, file)
  for (const { line = 0, message } of faults) progress.say(`${file.path}:${line + bodyLine - 1}: ${message}`)
  return text
}

/** Two files for one entry: the first one has it, and the second is named. */
function claim({ claims, plan }: ImportJob, keyValue: string, path: string): void {
  const other = claims.get(keyValue)
  if (other !== undefined) throw new FileError(`"${keyValue}" is also that of ${other}`, { path: `/${plan.key}` })
  claims.set(keyValue, path)
}

async function store(
  job: ImportJob,
  entry: FileEntry,
  locale: string | undefined,
  { id, commit: { transact } }: Destination,
): Promise<Stored> {
  const { engine, plan } = job
  const { collection } = plan
  const { values, forNew, createdAt } = entry
  const found = id ?? (await findImportedEntry(engine, plan, entry.keyValue, locale))
  const context = await writeContext(engine, new Access(engine.model, SYSTEM), { locale, transact })
  if (found === undefined) {
    const options = createdAt === undefined ? {} : { createdAt }
    const made = await carryOut(context, () => prepareCreate(context, collection, { ...forNew, ...values }, options))
    return { id: made.id, outcome: 'created', status: statusOf(job, made) }
  }
  const before = await engine.store.read.entries.stored(collection, found)
  const answer = await carryOut(context, () => prepareUpdate(context, collection, found, values, { ifMatch: '*' }))
  const outcome = answer.seq === before?.seq ? 'unchanged' : 'updated'
  return { id: found, outcome, status: statusOf(job, answer) }
}

/** The status that a dry run reports. */
function statusOf({ plan, isDry }: ImportJob, { json }: EntryAnswer): string | undefined {
  const { status } = plan.collection
  if (!isDry || !status) return undefined
  const { [status.key]: value } = JSON.parse(json) as Values
  return typeof value === 'string' ? value : undefined
}

async function findImportedEntry(
  { store: { read } }: Engine,
  { collection, key }: ImportPlan,
  value: string,
  locale: string | undefined,
): Promise<string | undefined> {
  const own = await read.entries.storedBy(collection, key, value)
  if (own || key !== collection.slug?.key) return own?.id
  // An entry that was begun in another locale may have its slug there alone.
  const inLocale = collection.byLocale.get(locale ?? '')
  return inLocale && (await read.entries.bySlug(inLocale, value))?.id
}
