import { resolve } from 'node:path'
import { SYSTEM } from '../../auth/adapter.ts'
import { Access } from '../../content/access/access.ts'
import { planList } from '../../content/reads/list.ts'
import { type WriteContext, writeContext } from '../../content/writes/context.ts'
import { MAX_MANY, type ManyEntries, type ManyResult } from '../../content/writes/many/many.ts'
import { DaybookError } from '../../errors.ts'
import { compileModel } from '../../model/compile.ts'
import type { CollectionModel } from '../../model/model.ts'
import { manyParameters } from '../../query/many-query.ts'
import { fromPairs, readParameters } from '../../query/parameters.ts'
import { openEngine } from '../../service.ts'
import { loadConfig } from '../config-file.ts'
import { type CommandLine, dataFolder } from '../options.ts'
import { Progress } from '../progress.ts'
import { UsageError } from '../usage.ts'
import { toWhereParam } from './where-option.ts'

/** Exit status after Ctrl-C: 128 and the number of the signal, as shells have it. */
const INTERRUPTED = 130

/** What a command does to the entries that match. */
export interface ManyCommand {
  /** `updated` or `deleted`. */
  readonly done: string
  /** Reads what else the command line says, before anything is written, and answers what one step does. */
  prepare(collection: CollectionModel): (context: WriteContext, entries: ManyEntries) => Promise<ManyResult>
}

/** How far a run has come. */
interface ManyTally {
  matched: number
  changed: number
  /** How many matched before the first step. */
  readonly total: number
}

/**
 * Writes every entry that matches, in steps that are stored each by itself. Answers 0 when all are, 1 when a step was refused.
 *
 * @throws {UsageError} when the command line names what is not there
 */
export async function runMany(options: CommandLine, command: ManyCommand): Promise<number> {
  const config = await loadConfig(options.text('config'))
  const model = compileModel(config)
  const collection = collectionOf(options, model.collections)
  const step = command.prepare(collection)
  const query = readParameters(manyParameters(collection, model.locales), paramsOf(options))
  const { engine, close } = await openEngine(model, config, resolve(dataFolder(options)), { isServing: false })
  try {
    const access = new Access(model, SYSTEM)
    const total = await (await planOf(engine, access, collection, query)).count()
    const context = await writeContext(engine, access, { locale: query.values.locale })
    const progress = new Progress({ unit: 'entries', total }, process.stderr)
    const entries = { collection, query }
    const tally: ManyTally = { matched: 0, changed: 0, total }
    const status = await takeSteps(tally, progress, (after) =>
      step(context, { ...entries, step: { after, limit: MAX_MANY } }),
    )
    const would = query.values.dryRun === 'true' ? 'would have been ' : ''
    const matched = status === 0 ? tally.matched : Math.max(tally.matched, tally.total)
    process.stdout.write(`${tally.changed} of ${matched} entries of ${collection.key} ${would}${command.done}\n`)
    return status
  } finally {
    await close()
  }
}

/** @throws {UsageError} when a condition names what is not there */
const planOf: typeof planList = async (...asked) => {
  try {
    return await planList(...asked)
  } catch (error) {
    throw error instanceof DaybookError && error.code === 'VALIDATION_ERROR' ? new UsageError(error.message) : error
  }
}

function collectionOf(
  { positionals }: CommandLine,
  collections: ReadonlyMap<string, CollectionModel>,
): CollectionModel {
  const [key, ...others] = positionals
  const found = others.length === 0 ? collections.get(key ?? '') : undefined
  if (found) return found
  throw new UsageError(`Name one collection: ${[...collections.keys()].join(', ')}.`)
}

function paramsOf(options: CommandLine): ReadonlyMap<string, readonly string[]> {
  const where = options.texts('where').map(toWhereParam)
  if (where.length === 0)
    throw new UsageError('Say which entries with --where FIELD=VALUE; --where "id[exists]=true" is every entry.')
  const others = ['q', 'status', 'locale'].flatMap((name) => {
    const value = options.text(name)
    return value === undefined ? [] : [[name, value] as const]
  })
  return fromPairs([...where, ...others, ['dryRun', String(options.flag('dry-run'))]])
}

async function takeSteps(
  tally: ManyTally,
  progress: Progress,
  take: (after: string) => Promise<ManyResult>,
): Promise<number> {
  let isInterrupted = false
  const stop = (): void => {
    isInterrupted = true
  }
  process.once('SIGINT', stop)
  try {
    for (let after: string | undefined = ''; after !== undefined && !isInterrupted; ) {
      const { matched, changed, lastId }: ManyResult = await take(after)
      tally.matched += matched
      tally.changed += changed
      progress.update(tally.matched)
      after = matched < MAX_MANY ? undefined : lastId
    }
    return isInterrupted ? INTERRUPTED : 0
  } catch (error) {
    if (!(error instanceof DaybookError) || error.details.refused === undefined) throw error
    progress.say(describeRefusal(error))
    return 1
  } finally {
    process.removeListener('SIGINT', stop)
    progress.end()
  }
}

function describeRefusal({ message, details }: DaybookError): string {
  // The message is about the first entry, and mostly about its first issue.
  const issues = (details.issues ?? []).filter((issue) => !message.includes(issue.message))
  const [, ...others] = details.refused as readonly string[]
  return [
    `refused: ${message.replace(/\.$/, '')}`,
    ...issues.map(({ path, message: reason }) => `${path} ${reason}`),
    ...(others.length > 0 ? [`also refused: ${others.join(' ')}`] : []),
  ].join('; ')
}
