import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { createContentAlignment } from '../../content/transfer/index.ts'
import { StartupError } from '../../errors.ts'
import type { Model } from '../../model/model.ts'
import { beginCopy, type Copy } from '../../store/copy.ts'
import { type CopyTable, compareTable, copyTables, countRows, type TableComparison } from '../../store/copy-tables.ts'
import type { Database, Snapshot } from '../../store/database.ts'
import { openPostgres } from '../../store/postgres/postgres.ts'
import { snapshotPostgres } from '../../store/postgres/postgres-snapshot.ts'
import { redactUrl } from '../../store/postgres/postgres-startup.ts'
import { openSqlite } from '../../store/sqlite/sqlite.ts'
import { snapshotSqlite } from '../../store/sqlite/sqlite-snapshot.ts'
import { databaseFile, Store } from '../../store/store.ts'
import { requireCopyable } from '../open-store.ts'
import { formatTable, Progress, printNotice } from '../output.ts'

/** The address of a store on the command line. */
export interface StoreAddress {
  /** The address without a password. */
  readonly label: string
  /** Equal for two addresses of one store, as far as addresses tell. */
  readonly identity: string
  /** Opens the store to write; an absent one is created. */
  open(): Promise<Database>
  /** Opens the store to read. */
  snapshot(): Promise<Snapshot>
}

/**
 * Reads `sqlite:PATH`, where PATH is a data folder or a database file, or `postgres://…`.
 *
 * @param option the option, for errors
 * @throws {StartupError} for another address
 */
export function readAddress(text: string, option: string): StoreAddress {
  if (/^sqlite:./.test(text)) return parseSqliteAddress(text.slice('sqlite:'.length), option)
  // The text is not repeated, because it may contain a password.
  if (/^postgres(?:ql)?:\/\//.test(text) && URL.canParse(text)) return parsePostgresAddress(text, option)
  throw new StartupError(
    `${option} is not the address of a store. Write sqlite:FOLDER or postgres://user:password@host:5432/database.`,
  )
}

function parseSqliteAddress(path: string, option: string): StoreAddress {
  const present = statSync(path, { throwIfNoEntry: false })
  const isFile = present ? present.isFile() : path.endsWith('.db')
  const file = isFile ? resolve(path) : databaseFile(path)
  const stored = statSync(file, { throwIfNoEntry: false })
  return {
    label: `sqlite:${file}`,
    identity: stored ? `${stored.dev} ${stored.ino}` : file,
    open: async () => openSqlite(file),
    snapshot: async () => {
      if (!existsSync(file)) throw new StartupError(`The database ${file} does not exist. Check ${option}.`)
      return snapshotSqlite(file)
    },
  }
}

/** The timeout of a response of PostgreSQL, in milliseconds: a copy waits longer for a busy server than a request does. */
const RESPONSE_MS = 10_000

function parsePostgresAddress(url: string, option: string): StoreAddress {
  const { hostname, port, pathname, searchParams } = new URL(url)
  const timeouts = { statementMs: 0, responseMs: RESPONSE_MS }
  return {
    label: hidePassword(option, url),
    identity: JSON.stringify([hostname.toLowerCase(), port || '5432', pathname, searchParams.get('options')]),
    // There may be a pooler, so no state is kept in a session; statements have no timeout.
    open: () => withOptionName(option, openPostgres(url, { ...timeouts, pooler: 'transaction', connections: 2 })),
    snapshot: () => withOptionName(option, snapshotPostgres(url, timeouts)),
  }
}

/** Replaces the variable of a service with the option in errors. */
async function withOptionName<T>(option: string, opening: Promise<T>): Promise<T> {
  return opening.catch((error) => Promise.reject(nameOption(option, error)))
}

const nameOption = (option: string, error: unknown): unknown =>
  error instanceof StartupError ? new StartupError(error.message.replaceAll('DATABASE_URL', option)) : error

function hidePassword(option: string, url: string): string {
  try {
    return redactUrl(url)
  } catch (error) {
    throw nameOption(option, error)
  }
}

export interface CopyJob {
  readonly from: StoreAddress
  readonly to: StoreAddress
  readonly source: Snapshot
  /** The keys of the stored collections of the source. */
  readonly collections: readonly string[]
  readonly model: Model
}

/** Copies a store, or the rest of an interrupted copy. Once both are equal, the target is prepared for serving. */
export async function copyDatabase(job: CopyJob): Promise<number> {
  const target = await job.to.open()
  const store = new Store(target)
  try {
    const { copy, renewed } = await beginCopy(job.source, target, job.collections, job.to.label)
    if (renewed.length > 0)
      printNotice(`The source has changed since the copy began. Copying again: ${renewed.join(', ')}`)
    const total = await countAll(job.source, copy.tables)
    await copyRows(copy, total)
    const comparisons = await compareStores(job, copy.tables, total)
    const different = listDifferingTables(comparisons)
    if (different.length > 0) {
      await copy.renew(different)
      return reportComparisons(job, comparisons, 'Run the same command again: it copies these tables again.')
    }
    printNotice('building indexes, search and localized content')
    await store.completeCopy(job.model, createContentAlignment(job.model))
    return reportComparisons(job, comparisons)
  } finally {
    await store.close()
  }
}

export async function verifyStore(job: CopyJob): Promise<number> {
  const tables = copyTables(job.collections)
  const comparisons = await compareStores(job, tables, await countAll(job.source, tables), requireWhole)
  return reportComparisons(
    job,
    comparisons,
    'One of them has changed since the copy. To copy again, use an empty database.',
  )
}

/** @throws {StartupError} if the target lacks tables */
async function requireWhole({ collections, to }: CopyJob, target: Snapshot): Promise<void> {
  const read = await requireCopyable(target, to.label)
  const present = await read.system.storedCollections()
  const missing = collections.filter((key) => !present.includes(key))
  if (missing.length > 0) throw new StartupError(`These collections are missing in ${to.label}: ${missing.join(', ')}.`)
}

async function countAll(source: Snapshot, tables: readonly CopyTable[]): Promise<number> {
  let total = 0
  for (const table of tables) total += await countRows(source, table)
  return total
}

async function copyRows(copy: Copy, total: number): Promise<void> {
  using progress = new Progress({ unit: 'rows copied', total, done: copy.rows })
  await copy.run(() => progress.update(copy.rows))
}

async function compareStores(
  job: CopyJob,
  tables: readonly CopyTable[],
  total: number,
  check?: typeof requireWhole,
): Promise<readonly TableComparison[]> {
  const target = await job.to.snapshot()
  using progress = new Progress({ unit: 'rows compared', total })
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
    await target.close()
  }
}

const listDifferingTables = (comparisons: readonly TableComparison[]): readonly string[] =>
  comparisons.filter(({ isSame }) => !isSame).map(({ name }) => name)

/** @param advice advice about differences */
function reportComparisons({ from, to }: CopyJob, comparisons: readonly TableComparison[], advice = ''): number {
  process.stdout.write(summarizeCopy(comparisons))
  const different = listDifferingTables(comparisons)
  const result =
    different.length === 0
      ? `${to.label} has the same content as ${from.label}`
      : `${to.label} differs from ${from.label} in: ${different.join(', ')}. ${advice}`
  process.stdout.write(`${result}\n`)
  return different.length === 0 ? 0 : 1
}

/** The printed length of a digest, in characters. */
const SHOWN_DIGEST = 16

/** Returns a line for each table, with the counts of both sides. */
function summarizeCopy(comparisons: readonly TableComparison[]): string {
  const counts = [
    'rows',
    ...comparisons.map(({ source, target, isSame }) => formatPair(isSame, source.rows, target.rows)),
  ]
  const width = Math.max(...counts.map((text) => text.length))
  const [head, ...cells] = counts.map((text) => text.padStart(width))
  const rows = comparisons.map(({ name, source, target, isSame }, index) => {
    const digests = formatPair(isSame, source.sha256.slice(0, SHOWN_DIGEST), target.sha256.slice(0, SHOWN_DIGEST))
    return [name, cells[index] ?? '', isSame ? 'same' : 'DIFFERS', digests]
  })
  return formatTable([['table', head ?? '', '', 'sha-256'], ...rows])
}

const formatPair = (isSame: boolean, source: string | number, target: string | number): string =>
  isSame ? `${source}` : `${source} / ${target}`
