import { resolve } from 'node:path'
import { SYSTEM } from '../../auth/adapter.ts'
import { Access } from '../../content/access/access.ts'
import { countMatches, resolveListQuery } from '../../content/reads/index.ts'
import {
  type BulkResult,
  type BulkSelection,
  type BulkStep,
  bulkDelete,
  bulkUpdate,
  createWriteContext,
  MAX_BULK_ENTRIES,
  type WriteContext,
} from '../../content/writes/index.ts'
import { DaybookError } from '../../errors.ts'
import { isRecord } from '../../fields/field.ts'
import { compileModel } from '../../model/compile.ts'
import type { CollectionModel } from '../../model/model.ts'
import { bulkParameters } from '../../query/list-query.ts'
import { readParameters, toQueryParams } from '../../query/parameters.ts'
import { openContent } from '../../service/open-content.ts'
import {
  CliCommand,
  type CommonOptions,
  defineOption,
  defineRepeatedOption,
  INTERRUPTED,
  type Option,
  UsageError,
  withSignal,
} from '../command.ts'
import { dataFolder, loadConfig } from '../config-file.ts'
import { Progress } from '../output.ts'

interface SelectOptions extends CommonOptions {
  readonly where?: readonly string[]
  readonly q?: string
  readonly status?: string
  readonly dryRun?: boolean
}

interface UpdateOptions extends SelectOptions {
  readonly set?: readonly string[]
  readonly json?: string
  readonly locale?: string
}

const SELECT_OPTIONS: readonly Option[] = [
  defineRepeatedOption(
    '--where <CONDITION>',
    'A condition, `FIELD=VALUE` or `FIELD[OPERATOR]=VALUE`; `id[exists]=true` is every entry.',
    'needed',
  ),
  defineOption('--q <WORDS>', 'Words that an entry must all contain.', 'any'),
  defineOption('--status <STATUS>', 'Statuses, separated by commas.', 'all of them'),
  defineOption('--dry-run', 'Reports the outcome, and stores nothing.'),
]

/** `daybook update`: changes every entry that matches. */
export const update: CliCommand = new CliCommand('update')
  .argument('<COLLECTION>')
  .takes(
    ...SELECT_OPTIONS,
    defineRepeatedOption(
      '--set <FIELD=VALUE>',
      "A field's new value; `null` empties it. A field that takes no text reads the value as JSON.",
      'needed, or `--json`',
    ),
    defineOption('--json <JSON>', 'The change as a JSON merge patch.', 'needed, or `--set`'),
    defineOption('--locale <LOCALE>', 'The locale that is written.', "the config's"),
  )
  .runs((key: string, options: UpdateOptions) =>
    writeMatches(key, options, {
      done: 'updated',
      prepare: (collection) => {
        const patch = readPatch(options, collection)
        return (writeContext, entries) => bulkUpdate(writeContext, entries, patch, { ifMatch: '*' })
      },
    }),
  )

/** `daybook delete`: deletes every entry that matches. */
export const deleteEntries: CliCommand = new CliCommand('delete')
  .argument('<COLLECTION>')
  .takes(...SELECT_OPTIONS)
  .runs((key: string, options: SelectOptions) =>
    writeMatches(key, options, {
      done: 'deleted',
      prepare: () => (writeContext, entries) => bulkDelete(writeContext, entries, { ifMatch: '*' }),
    }),
  )

interface BulkWrite {
  /** `updated` or `deleted`. */
  readonly done: string
  /** Reads the rest of the command line, before anything is written, and returns the function that writes one step. */
  prepare(collection: CollectionModel): (writeContext: WriteContext, entries: BulkSelection) => Promise<BulkResult>
}

/** Writes every entry that matches, in steps of one transaction each. The status is 1 if a step was rejected. */
async function writeMatches(key: string, options: UpdateOptions, { done, prepare }: BulkWrite): Promise<number> {
  const config = await loadConfig(options.config)
  const model = compileModel(config)
  const collection = model.collections.get(key)
  if (!collection)
    throw new UsageError(
      `The collection "${key}" does not exist. Use one of: ${[...model.collections.keys()].join(', ')}.`,
    )
  const writeStep = prepare(collection)
  const query = readParameters(bulkParameters(collection, model.locales), toParameters(options))
  const { context, close } = await openContent(model, config, resolve(dataFolder(options)), {
    isServing: false,
  })
  try {
    const access = new Access(model, SYSTEM)
    const matches = await resolveListQuery(context, access, collection, query).catch(rethrowInvalidQuery)
    const counts: BulkCounts = { matched: 0, changed: 0, total: await countMatches(context, matches) }
    const writeContext = await createWriteContext(context, access, { locale: query.values.locale })
    const status = await writeSteps(counts, (step) => writeStep(writeContext, { collection, query, step }))
    const matched = status === 0 ? counts.matched : Math.max(counts.matched, counts.total)
    const would = options.dryRun ? 'would have been ' : ''
    process.stdout.write(`${counts.changed} of ${matched} entries of ${key} ${would}${done}\n`)
    return status
  } finally {
    await close()
  }
}

function rethrowInvalidQuery(error: unknown): never {
  throw error instanceof DaybookError && error.code === 'VALIDATION_ERROR' ? new UsageError(error.message) : error
}

interface BulkCounts {
  matched: number
  changed: number
  /** The number of entries that matched before the first step. */
  readonly total: number
}

async function writeSteps(counts: BulkCounts, write: (step: BulkStep) => Promise<BulkResult>): Promise<number> {
  using progress = new Progress({ unit: 'entries', total: counts.total })
  try {
    return await withSignal(async (signal) => {
      for (let after: string | undefined = ''; after !== undefined && !signal.aborted; ) {
        const { matched, changed, lastId }: BulkResult = await write({ after, limit: MAX_BULK_ENTRIES })
        counts.matched += matched
        counts.changed += changed
        progress.update(counts.matched)
        after = matched < MAX_BULK_ENTRIES ? undefined : lastId
      }
      return signal.aborted ? INTERRUPTED : 0
    })
  } catch (error) {
    if (!(error instanceof DaybookError) || error.details.refused === undefined) throw error
    progress.say(describeRejection(error))
    return 1
  }
}

function describeRejection({ message, details }: DaybookError): string {
  // The message is about the first entry, and usually about its first issue.
  const issues = (details.issues ?? []).filter((issue) => !message.includes(issue.message))
  const [, ...otherIds] = details.refused as readonly string[]
  return [
    // The messages of validators and hooks may lack the full stop.
    `Rejected: ${message.replace(/\.?$/, '.')}`,
    ...issues.map((issue) => issue.message.replace(/\.?$/, '.')),
    ...(otherIds.length > 0 ? [`Also rejected: ${otherIds.join(' ')}`] : []),
  ].join(' ')
}

function toParameters({
  where = [],
  q,
  status,
  locale,
  dryRun,
}: UpdateOptions): ReadonlyMap<string, readonly string[]> {
  if (where.length === 0)
    throw new UsageError(
      '--where is required. Write --where FIELD=VALUE, or --where "id[exists]=true" for every entry.',
    )
  const texts = Object.entries({ q, status, locale }).filter((pair): pair is [string, string] => pair[1] !== undefined)
  return toQueryParams([...where.map(toWhereParameter), ...texts, ['dryRun', String(dryRun ?? false)]])
}

/** `FIELD=VALUE`, `FIELD[OPERATOR]=VALUE`, or a group: `or[0][FIELD][OPERATOR]=VALUE`. */
const CONDITION = /^([^=[\]]+)((?:\[[^[\]]+\])*)=(.*)$/s

function toWhereParameter(condition: string): readonly [name: string, value: string] {
  const [, field, path, value] = CONDITION.exec(condition) ?? []
  if (field !== undefined && value !== undefined) return [`where[${field}]${path || '[eq]'}`, value]
  throw new UsageError(
    `--where ${condition} is invalid. Write FIELD=VALUE, or FIELD[OPERATOR]=VALUE such as createdAt[lt]=2020-01-01.`,
  )
}

/** Reads the merge patch of an update. */
function readPatch({ json, set = [] }: UpdateOptions, collection: CollectionModel): Readonly<Record<string, unknown>> {
  if ((json === undefined) === (set.length === 0))
    throw new UsageError('Either --set or --json is required. Write --set FIELD=VALUE or --json JSON.')
  if (json === undefined) return Object.fromEntries(set.map((pair) => readSetting(pair, collection)))
  const patch = parseJson(json)
  if (isRecord(patch)) return patch
  throw new UsageError(`--json ${json} is invalid. Write an object, such as '{"status":"draft"}'.`)
}

function readSetting(pair: string, { schemas }: CollectionModel): readonly [key: string, value: unknown] {
  const at = pair.indexOf('=')
  if (at < 1) throw new UsageError(`--set ${pair} is invalid. Write FIELD=VALUE.`)
  const [key, text] = [pair.slice(0, at), pair.slice(at + 1)]
  const properties = schemas.update.properties as Readonly<Record<string, unknown>> | undefined
  if (text === 'null') return [key, null]
  // Text fields get the text unchanged. Validation reports values that other fields do not accept.
  return [key, acceptsText(properties?.[key]) ? text : (parseJson(text) ?? text)]
}

function acceptsText(schema: unknown): boolean {
  if (!isRecord(schema)) return true
  const { type, enum: values = [], anyOf = [], oneOf = [] } = schema as Readonly<Record<string, readonly unknown[]>>
  if ([type].flat().includes('string' as never) || values.some((value) => typeof value === 'string')) return true
  return [...anyOf, ...oneOf].some(acceptsText)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
