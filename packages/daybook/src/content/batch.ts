import type { Caller } from '../auth/adapter.ts'
import { DaybookError, type Issue, invalid, invalidAt } from '../errors.ts'
import { isRecord } from '../fields/field.ts'
import type { CollectionModel } from '../model/model.ts'
import type { Writer } from '../store/write.ts'
import type { Engine, EntryAnswer, RunWrite } from './engine.ts'
import { refuseHostile } from './json.ts'
import type { LastStep } from './referrers.ts'
import { readTags } from './tags.ts'
import { createEntry, deleteEntry, updateEntry, type WriteOptions } from './write-entries.ts'

/** The most operations in one batch. */
export const MAX_OPERATIONS = 500

/** What happened to one operation. */
export interface BatchResult {
  readonly op: string
  readonly collection: string
  readonly id: string
  readonly seq: number
  /** The stored entry; absent after a delete. */
  readonly answer?: EntryAnswer
}

interface Operation {
  readonly op: 'create' | 'update' | 'delete'
  readonly collection: CollectionModel
  readonly id: string
  readonly data: unknown
  readonly options: WriteOptions
}

/**
 * Carries out operations in one transaction: all of them, or none.
 *
 * @param locale the one that is written; `undefined`: the config's default
 * @throws what the operation throws, with its index in `details.operation` and before each issue's path
 */
export async function runBatch(
  engine: Engine,
  body: unknown,
  caller: Caller,
  run: RunWrite,
  locale?: string,
): Promise<readonly BatchResult[]> {
  refuseHostile(body)
  const lastSteps: LastStep[] = []
  const common = { locale, atEnd: (step: LastStep) => void lastSteps.push(step) }
  const operations = readOperations(engine, body).map((one) => ({ ...one, options: { ...one.options, ...common } }))
  const prepared: Prepared[] = []
  try {
    // What takes time (validation, Markdown) is done before the transaction, which then holds its lock for moments.
    for (const [index, operation] of operations.entries())
      prepared.push(await prepare(engine, operation, index, caller))
    return await run(async (writer) => {
      // A transaction that is run again begins anew.
      lastSteps.length = 0
      const results = await commit(prepared, writer)
      for (const step of lastSteps) await step(writer)
      return results
    })
  } finally {
    for (const one of prepared) one.abandon()
  }
}

function readOperations(engine: Engine, body: unknown): readonly Operation[] {
  const list = isRecord(body) && Object.keys(body).length === 1 ? body.operations : undefined
  if (!Array.isArray(list))
    throw invalidAt('/operations', 'type', 'must be a list of operations, and all that the body holds')
  if (list.length > MAX_OPERATIONS)
    throw invalidAt('/operations', 'maxItems', `must have at most ${MAX_OPERATIONS} operations`)
  const issues: Issue[] = []
  const operations = list.map((one, index) => readOperation(engine, one, `/operations/${index}`, issues))
  if (issues.length > 0) throw invalid(issues)
  return operations as readonly Operation[]
}

const KEYS = ['op', 'collection', 'id', 'ifMatch', 'data']

function readOperation(engine: Engine, given: unknown, path: string, issues: Issue[]): Operation | undefined {
  const fault = (key: string, code: string, message: string): undefined => {
    issues.push({ path: `${path}${key}`, code, message })
  }
  if (!isRecord(given)) return fault('', 'type', 'must be an object')
  for (const key of Object.keys(given))
    if (!KEYS.includes(key)) fault(`/${key}`, 'unknown_field', 'there is no such field')
  const { op, id = '', ifMatch, data } = given
  const collection = typeof given.collection === 'string' ? engine.model.collections.get(given.collection) : undefined
  const tags = ifMatch === undefined ? undefined : readTags(ifMatch)
  if (op !== 'create' && op !== 'update' && op !== 'delete')
    return fault('/op', 'enum', 'must be create, update or delete')
  if (!collection) return fault('/collection', 'enum', 'must be the key of a collection')
  if (typeof id !== 'string' || (id === '') !== (op === 'create'))
    return fault('/id', 'type', 'must be an id, except of a create')
  if (ifMatch !== undefined && !tags) return fault('/ifMatch', 'entity_tag', 'must be * or an entity tag in quotes')
  if ((data === undefined) !== (op === 'delete')) return fault('/data', 'type', 'must be an object, except of a delete')
  return { op, collection, id, data, options: tags ? { ifMatch: tags } : {} }
}

/** An operation that has done everything but store. */
interface Prepared {
  commit(writer: Writer): Promise<BatchResult>
  /** Ends what waits for a commit that will not come. */
  abandon(): void
}

type Work = (writer: Writer) => Promise<unknown>

/** Runs an operation up to its transaction, and holds it there. */
async function prepare(engine: Engine, operation: Operation, index: number, caller: Caller): Promise<Prepared> {
  const reached = Promise.withResolvers<Work>()
  const outcome = Promise.withResolvers<unknown>()
  const run = ((work: Work) => {
    reached.resolve(work)
    return outcome.promise
  }) as RunWrite
  const done = perform(engine, operation, caller, run)
  done.catch(reached.reject)
  const work = await reached.promise.catch((error: unknown) => {
    throw atIndex(error, index)
  })
  return {
    commit: async (writer) => {
      try {
        outcome.resolve(await work(writer))
        return await done
      } catch (error) {
        throw atIndex(error, index)
      }
    },
    abandon: () => outcome.reject(new Error('The batch was not stored.')),
  }
}

async function perform(engine: Engine, operation: Operation, caller: Caller, run: RunWrite): Promise<BatchResult> {
  const { op, collection, id, data, options } = operation
  const common = { op, collection: collection.key }
  if (op === 'delete') return { ...common, id, ...(await deleteEntry(engine, collection, id, caller, options, run)) }
  const answer =
    op === 'create'
      ? await createEntry(engine, collection, data, caller, options, run)
      : await updateEntry(engine, collection, id, data, caller, options, run)
  return { ...common, id: answer.id, seq: answer.seq, answer }
}

async function commit(prepared: readonly Prepared[], writer: Writer): Promise<readonly BatchResult[]> {
  const results: BatchResult[] = []
  for (const one of prepared) results.push(await one.commit(writer))
  return results
}

function atIndex(error: unknown, index: number): unknown {
  if (!(error instanceof DaybookError)) return error
  const { code, message, details } = error
  const issues = details.issues?.map((issue) => ({
    ...issue,
    path: `/operations/${index}/data${issue.path.replace(/^\/$/, '')}`,
  }))
  const placed = { ...details, ...(issues ? { issues } : {}), operation: index }
  return new DaybookError(code, `Operation ${index}: ${message}`, placed, error)
}
