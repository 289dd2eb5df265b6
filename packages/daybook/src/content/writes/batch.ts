import { DaybookError, invalid, invalidAt } from '../../errors.ts'
import { isRecord } from '../../fields/field.ts'
import { type Issue, issueAt, type Violation } from '../../issues.ts'
import type { CollectionModel } from '../../model/model.ts'
import { isUuidShaped } from '../../slugs.ts'
import type { EntryAnswer } from '../answer.ts'
import { checkPublication } from '../drafts/publication.ts'
import type { Engine } from '../engine.ts'
import { type Preconditions, readTags } from '../etags.ts'
import { HookRefusal } from '../hooks.ts'
import { refuseHostile } from '../plain-json.ts'
import type { WriteContext } from './context.ts'
import { checkCreate, checkUpdate, prepareDelete } from './entries.ts'
import { type CheckedWrite, type CommittedWrites, executeAll, type PreparedWrite } from './pipeline.ts'

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

/** What an operation can do. */
export const BATCH_OPS = ['create', 'update', 'delete', 'publish', 'unpublish', 'restore'] as const
export type BatchOp = (typeof BATCH_OPS)[number]

interface ParsedOperation {
  readonly op: BatchOp
  readonly collection: CollectionModel
  readonly id: string
  readonly data: unknown
  readonly options: Preconditions
}

/**
 * Carries out operations in one transaction: all of them, or none.
 *
 * @throws what the operation throws, with its index in `details.operation` and before each issue's path
 */
export async function runBatch(context: WriteContext, body: unknown): Promise<CommittedWrites<BatchResult>> {
  refuseHostile(body)
  const operations = readOperations(context.engine, body)
  // Faults of the data come before those of the stored entries, whichever operation has them.
  const checked = operations.map((operation, index) => checkOperation(context, operation, index))
  return executeAll(context, async () => {
    const prepared: PreparedWrite<BatchResult>[] = []
    // What takes time (Markdown, rules) is done before the transaction, which then holds its lock for moments.
    for (const [index, prepare] of checked.entries()) {
      prepared.push(atOperation(index, await prepare().catch((error: unknown) => fail(error, index))))
    }
    return prepared
  })
}

function readOperations(engine: Engine, body: unknown): readonly ParsedOperation[] {
  const list = isRecord(body) && Object.keys(body).length === 1 ? body.operations : undefined
  if (!Array.isArray(list))
    throw invalidAt('/operations', 'type', 'must be a list of operations, and all that the body holds', {
      types: ['array'],
    })
  if (list.length > MAX_OPERATIONS)
    throw invalidAt('/operations', 'maxItems', `must have at most ${MAX_OPERATIONS} operations`, {
      limit: MAX_OPERATIONS,
    })
  const issues: Issue[] = []
  const operations = list.map((one, index) => readOperation(engine, one, `/operations/${index}`, issues))
  if (issues.length > 0) throw invalid(issues)
  return operations as readonly ParsedOperation[]
}

const isBatchOp = (op: unknown): op is BatchOp => (BATCH_OPS as readonly unknown[]).includes(op)

/** The issue of an operation that its collection does not have, or whose data are missing or too much. */
function issueOfUse(path: string, op: BatchOp, { key, status }: CollectionModel, data: unknown): Issue | undefined {
  const needsData = NEEDS_DATA[op]
  if (needsData === true && data === undefined)
    return issueAt(`${path}/data`, 'type', 'must be an object', { types: ['object'] })
  if (needsData === false && data !== undefined)
    return issueAt(`${path}/data`, 'exclusive', 'must be left out', { with: 'op' })
  if (status || (op !== 'publish' && op !== 'unpublish')) return undefined
  const message = `must be another one: entries of ${key} have no status`
  return issueAt(`${path}/op`, 'status', message, { collection: key })
}

/** Whether an operation has data; those that are not named may. */
const NEEDS_DATA: { readonly [op in BatchOp]?: boolean } = { create: true, update: true, delete: false, restore: true }

const KEYS = ['op', 'collection', 'id', 'ifMatch', 'data']

function readOperation(engine: Engine, given: unknown, path: string, issues: Issue[]): ParsedOperation | undefined {
  const fault = (key: string, ...violation: Violation): undefined => {
    issues.push(issueAt(`${path}${key}`, ...violation))
  }
  if (!isRecord(given)) return fault('', 'type', 'must be an object', { types: ['object'] })
  for (const key of Object.keys(given))
    if (!KEYS.includes(key)) fault(`/${key}`, 'unknown_field', 'there is no such field')
  const { op, id = '', ifMatch, data } = given
  const collection = collectionOf(engine, given.collection)
  const tags = ifMatch === undefined ? undefined : readTags(ifMatch)
  if (!isBatchOp(op)) return fault('/op', 'enum', `must be one of: ${BATCH_OPS.join(', ')}`, { values: BATCH_OPS })
  if (!collection) return fault('/collection', ...noCollection(given.collection))
  const inId = violationOfId(op, id)
  if (inId) return fault('/id', ...inId)
  if (ifMatch !== undefined && !tags) return fault('/ifMatch', 'entity_tag', 'must be * or an entity tag in quotes')
  const misuse = issueOfUse(path, op, collection, data)
  if (misuse) issues.push(misuse)
  return { op, collection, id: String(id), data, options: tags ? { ifMatch: tags } : {} }
}

const collectionOf = ({ model }: Engine, key: unknown): CollectionModel | undefined =>
  typeof key === 'string' ? model.collections.get(key) : undefined

function noCollection(key: unknown): Violation {
  const message = 'must be the key of a collection'
  return typeof key === 'string'
    ? ['unknown', message, { name: key.slice(0, 64) }]
    : ['type', message, { types: ['string'] }]
}

/** The rule that the id of an operation breaks: a create has none, and any other operation has one. */
function violationOfId(op: BatchOp, id: unknown): Violation | undefined {
  const message = 'must be an id, except of a create'
  if (op === 'create') return id === '' ? undefined : ['exclusive', message, { with: 'op' }]
  if (typeof id !== 'string' || id === '') return ['type', message, { types: ['string'] }]
  if (isUuidShaped(id)) return undefined
  return ['format', 'must be the id of an entry, not its slug. GET by slug answers the id', { format: 'uuid' }]
}

/** Checks what an operation says of its data, before any entry is looked for. */
function checkOperation(
  context: WriteContext,
  { op, collection, id, data, options }: ParsedOperation,
  index: number,
): CheckedWrite<BatchResult> {
  const common = { op, collection: collection.key }
  if (op === 'delete') {
    const toResult = ({ seq }: { readonly seq: number }): BatchResult => ({ ...common, id, seq })
    return async () => mapped(await prepareDelete(context, collection, id, options), toResult)
  }
  const toResult = (answer: EntryAnswer): BatchResult => ({ ...common, id: answer.id, seq: answer.seq, answer })
  try {
    const prepare = checkData(context, { op, collection, id, data, options })
    return async () => mapped(await prepare(), toResult)
  } catch (error) {
    return fail(error, index)
  }
}

function checkData(
  context: WriteContext,
  { op, collection, id, data, options }: ParsedOperation,
): CheckedWrite<EntryAnswer> {
  if (op === 'create') return checkCreate(context, collection, data)
  if (op === 'publish' || op === 'unpublish' || op === 'restore')
    return checkPublication(context, collection, op, id, data, options)
  return checkUpdate(context, collection, id, data, options)
}

const mapped = <A, B>(write: PreparedWrite<A>, map: (result: A) => B): PreparedWrite<B> => ({
  ...write,
  commit: async (transaction) => map(await write.commit(transaction)),
})

/** A write whose errors name its place in the batch. */
const atOperation = <T>(index: number, write: PreparedWrite<T>): PreparedWrite<T> => ({
  ...write,
  commit: (transaction) => write.commit(transaction).catch((error: unknown) => fail(error, index)),
})

function fail(error: unknown, index: number): never {
  throw atIndex(error, index)
}

function atIndex(error: unknown, index: number): unknown {
  if (error instanceof HookRefusal) return new HookRefusal(atIndex(error.reason, index))
  if (!(error instanceof DaybookError)) return error
  const { code, message, details } = error
  const issues = details.issues?.map((issue) => ({
    ...issue,
    path: `/operations/${index}/data${issue.path.replace(/^\/$/, '')}`,
  }))
  const placed = { ...details, ...(issues ? { issues } : {}), operation: index }
  return new DaybookError(code, `Operation ${index}: ${message}`, placed, error)
}
