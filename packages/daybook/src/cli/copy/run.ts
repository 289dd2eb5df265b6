import { storedContentOf } from '../../content/stored-content.ts'
import { StartupError } from '../../errors.ts'
import type { Model } from '../../model/model.ts'
import type { Snapshot } from '../../store/database.ts'
import { Reader } from '../../store/reads/read.ts'
import { Store } from '../../store/store.ts'
import { beginCopy, type Copy } from '../../store/transfer/copy.ts'
import { whyNotCopied } from '../../store/transfer/copy-source.ts'
import { type CopyTable, copyTables, countRows } from '../../store/transfer/copy-tables.ts'
import { compareTable, type TableComparison } from '../../store/transfer/copy-verify.ts'
import { Progress } from '../progress.ts'
import type { StoreAddress } from './address.ts'
import { summarizeCopy } from './summary.ts'

/** The source and the target of a copy. */
export interface CopyJob {
  readonly from: StoreAddress
  readonly to: StoreAddress
  readonly source: Snapshot
  /** Keys of its stored collections. */
  readonly collections: readonly string[]
  readonly model: Model
}

/** Copies a store, or what an earlier run left of it, and makes it ready to be served once both are the same. */
export async function copyDatabase(job: CopyJob): Promise<number> {
  const target = await job.to.open()
  const store = new Store(target)
  try {
    const { copy, renewed } = await beginCopy(job.source, target, job.collections, job.to.shown)
    if (renewed.length > 0) printLine(`The source has changed since the copy was begun. Anew: ${renewed.join(', ')}`)
    const total = await countAll(job.source, copy.tables)
    await copyRows(copy, total)
    const comparisons = await compareStores(job, copy.tables, total)
    const different = differing(comparisons)
    if (different.length > 0) {
      await copy.renew(different)
      return reportComparisons(job, comparisons, 'Run the same command again: it copies these tables anew.')
    }
    printLine('making indexes, search and what locales show')
    await store.completeCopy(job.model, storedContentOf(job.model))
    return reportComparisons(job, comparisons)
  } finally {
    await store.close()
  }
}

/** Compares a store with a finished copy of it. */
export async function verifyStore(job: CopyJob): Promise<number> {
  const tables = copyTables(job.collections)
  const comparisons = await compareStores(job, tables, await countAll(job.source, tables), requireWhole)
  return reportComparisons(
    job,
    comparisons,
    'One of them has changed since the copy. To copy again, take an empty database.',
  )
}

/** A target that lacks tables can be compared with nothing. */
async function requireWhole({ collections, to }: CopyJob, target: Snapshot): Promise<void> {
  const fault = await whyNotCopied(target, to.shown)
  if (fault !== undefined) throw new StartupError(fault)
  const there = await new Reader(target.dialect, target).system.storedCollections()
  const missing = collections.filter((key) => !there.includes(key))
  if (missing.length > 0) throw new StartupError(`${to.shown} lacks collections: ${missing.join(', ')}.`)
}

async function countAll(source: Snapshot, tables: readonly CopyTable[]): Promise<number> {
  let total = 0
  for (const table of tables) total += await countRows(source, table)
  return total
}

async function copyRows(copy: Copy, total: number): Promise<void> {
  const progress = new Progress({ unit: 'rows copied', total, done: copy.rows }, process.stderr)
  try {
    await copy.run(() => progress.update(copy.rows))
  } finally {
    progress.end()
  }
}

async function compareStores(
  job: CopyJob,
  tables: readonly CopyTable[],
  total: number,
  check?: typeof requireWhole,
): Promise<readonly TableComparison[]> {
  const target = await job.to.snapshot()
  const progress = new Progress({ unit: 'rows compared', total }, process.stderr)
  const comparisons: TableComparison[] = []
  let done = 0
  const onRows = (count: number): void => {
    done += count
    progress.update(done)
  }
  try {
    await check?.(job, target)
    for (const table of tables) comparisons.push(await compareTable(job.source, target, table, onRows))
    return comparisons
  } finally {
    progress.end()
    await target.close()
  }
}

const differing = (comparisons: readonly TableComparison[]): readonly string[] =>
  comparisons.filter(({ isSame }) => !isSame).map(({ name }) => name)

/** @param advice what to do about differences */
function reportComparisons({ from, to }: CopyJob, comparisons: readonly TableComparison[], advice = ''): number {
  process.stdout.write(summarizeCopy(comparisons))
  const different = differing(comparisons)
  const result =
    different.length === 0
      ? `${to.shown} holds the same as ${from.shown}`
      : `${to.shown} differs from ${from.shown} in: ${different.join(', ')}. ${advice}`
  process.stdout.write(`${result}\n`)
  return different.length === 0 ? 0 : 1
}

function printLine(line: string): void {
  process.stderr.write(`${line}\n`)
}
