import { isUtf8 } from 'node:buffer'
import { readFileSync, statSync } from 'node:fs'
import { relative } from 'node:path'
import { SYSTEM } from '../../auth/adapter.ts'
import type { Values } from '../../content/document.ts'
import type { Engine } from '../../content/engine.ts'
import { createEntry, updateEntry } from '../../content/write-entries.ts'
import { type FileEntry, toEntry } from './entry.ts'
import { FileError, reasonOf } from './file-error.ts'
import { markdownFiles } from './files.ts'
import { readSource } from './front-matter.ts'
import type { ImportPlan } from './plan.ts'
import type { Progress } from './progress.ts'
import type { Relations } from './relations.ts'
import type { Outcome, Tally } from './tally.ts'

/** How many files are worked on at once: what waits to be stored shares a commit. */
const LANES = 8
/** The largest file, in bytes. */
const MAX_FILE_BYTES = 16 * 1024 * 1024

/** One run of the import. */
export interface ImportJob {
  readonly engine: Engine
  readonly plan: ImportPlan
  readonly relations: Relations
  readonly folder: string
  readonly tally: Tally
  readonly progress: Progress
  /** Ends the run after the files that are being worked on. */
  readonly signal: AbortSignal
  /** The file of this run that holds a value of the key field. */
  readonly claims: Map<string, string>
}

/** Brings in every file of the folder; one that fails is named, and the others go on. */
export async function importFiles(job: ImportJob): Promise<void> {
  const paths = markdownFiles(job.folder)
  const lane = async (): Promise<void> => {
    for (let next = paths.next(); !next.done && !job.signal.aborted; next = paths.next()) {
      await importFile(job, next.value)
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
}

async function importFile(job: ImportJob, path: string): Promise<void> {
  const { tally, progress } = job
  let outcome: Outcome = 'failed'
  try {
    outcome = await bringIn(job, path)
  } catch (error) {
    progress.say(`${path}: ${reasonOf(error)}`)
  }
  tally.outcomes[outcome] += 1
  progress.update(tally)
}

async function bringIn(job: ImportJob, path: string): Promise<Outcome> {
  const { plan, relations, tally } = job
  // Nothing is awaited up to here, so that files take their keys in the order of their names.
  const entry = toEntry(plan, relative(job.folder, path), readSource(readText(path)))
  tally.addUnused(entry.unused)
  claim(job, entry.keyValue, path)
  const values: Values = {}
  for (const [key, value] of Object.entries(entry.values)) {
    const target = plan.fields.get(key)
    values[key] = target ? await relations.resolve(target, value) : value
  }
  return store(job, { ...entry, values })
}

function readText(path: string): string {
  const { size } = statSync(path)
  if (size > MAX_FILE_BYTES) throw new FileError(`is larger than ${MAX_FILE_BYTES / 1024 ** 2} MiB`)
  const bytes = readFileSync(path)
  if (!isUtf8(bytes)) throw new FileError('is not UTF-8 text')
  return bytes.toString('utf8')
}

/** Two files for one entry: the first one has it, and the second is named. */
function claim({ claims, plan }: ImportJob, keyValue: string, path: string): void {
  const other = claims.get(keyValue)
  if (other !== undefined) throw new FileError(`/${plan.key}: "${keyValue}" is also that of ${other}`)
  claims.set(keyValue, path)
}

async function store({ engine, plan }: ImportJob, entry: FileEntry): Promise<Outcome> {
  const { collection } = plan
  const { values, forNew, createdAt, keyValue } = entry
  const found = await engine.store.read.storedBy(collection, plan.key, keyValue)
  if (!found) {
    const options = createdAt === undefined ? {} : { createdAt }
    await createEntry(engine, collection, { ...forNew, ...values }, SYSTEM, options)
    return 'created'
  }
  const answer = await updateEntry(engine, collection, found.id, values, SYSTEM, { ifMatch: '*' })
  return answer.seq === found.seq ? 'unchanged' : 'updated'
}
