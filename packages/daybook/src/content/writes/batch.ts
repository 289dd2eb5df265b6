import { DaybookError, validationError, validationErrorAt } from '../../errors.ts'
import { isRecord } from '../../fields/field.ts'
import { createIssue, type Issue, type Violation } from '../../issues.ts'
import type { CollectionModel } from '../../model/model.ts'
import { unknownName } from '../../nearest.ts'
import { isUuidShaped } from '../../slugs.ts'
import type { ContentContext } from '../context.ts'
import { refuseHostile } from '../documents/plain-json.ts'
import { type Publication, type PublicationOp, parsePublication, preparePublication } from '../drafts/publication.ts'
import { type Preconditions, parseTags } from '../reads/etags.ts'
import type { EntryResponse } from '../reads/response.ts'
import type { WriteContext } from './context.ts'
import { type CreateBody, parseCreate, prepareCreate } from './create.ts'
import { prepareDelete } from './delete.ts'
import { EntryTarget } from './entry-target.ts'
import { HookRefusal } from './hooks.ts'
import { type CommittedWrites, executeAll, type PreparedWrite } from './pipeline.ts'
import { parseUpdate, prepareUpdate, type UpdateBody } from './update.ts'

export const MAX_OPERATIONS = 500

export interface BatchResult {
  readonly op: string
  readonly collection: string
  readonly id: string
  readonly seq: number
  /** The stored entry; absent after a delete. */
  readonly entry?: EntryResponse
}

export const BATCH_OPS = ['create', 'update', 'delete', 'publish', 'unpublish', 'restore'] as const
export type BatchOp = (typeof BATCH_OPS)[number]

/** An operation whose members are valid, except its data. */
interface OperationHead {
  readonly op: BatchOp
  readonly collection: CollectionModel
  readonly id: string
  readonly data: unknown
  readonly options: Preconditions
}

/** An operation that is validated without the store. */
type ParsedOperation = Omit<OperationHead, 'op' | 'data'> &
  (
    | { readonly op: 'create'; readonly body: CreateBody }
    | { readonly op: 'update'; readonly body: UpdateBody }
    | { readonly op: 'delete' }
    | { readonly op: PublicationOp; readonly body: Publication }
  )

/**
 * Runs operations in one transaction: all of them, or none.
 *
 * @throws what the operation throws, with its index in `details.operation` and before each issue's path
 */
export async function runBatch(context: WriteContext, body: unknown): Promise<CommittedWrites<BatchResult>> {
  refuseHostile(body)
  const heads = readOperations(context.content, body)
  // Invalid data is reported before missing entries, whichever operation has them.
  const operations = heads.map((head, index) => parseOperation(context, head, index))
  return executeAll(context, async () => {
    const writes: PreparedWrite<BatchResult>[] = []
    // Slow work such as rendering is done before the transaction, which then holds its lock only briefly.
    for (const [index, operation] of operations.entries()) {
      writes.push(await prepareOperation(context, operation, index))
    }
    return writes
  })
}

function readOperations(context: ContentContext, body: unknown): readonly OperationHead[] {
  const list = isRecord(body) && Object.keys(body).length === 1 ? body.operations : undefined
  if (!Array.isArray(list))
    throw validationErrorAt('/operations', 'type', 'must be a list of operations, and the only member of the body', {
      types: ['array'],
    })
  if (list.length > MAX_OPERATIONS)
    throw validationErrorAt('/operations', 'maxItems', `must have at most ${MAX_OPERATIONS} operations`, {
      limit: MAX_OPERATIONS,
    })
  const issues: Issue[] = []
  const operations = list.map((operation, index) => readOperation(context, operation, `/operations/${index}`, issues))
  if (issues.length > 0) throw validationError(issues)
  return operations as readonly OperationHead[]
}

const isBatchOp = (op: unknown): op is BatchOp => (BATCH_OPS as readonly unknown[]).includes(op)

/** Returns the issue of an operation that its collection does not support, or whose data is missing or must be absent. */
function findMisuse(path: string, op: BatchOp, { key, status }: CollectionModel, data: unknown): Issue | undefined {
  const needsData = NEEDS_DATA[op]
  if (needsData === true && data === undefined)
    return createIssue(`${path}/data`, 'type', 'must be an object', { types: ['object'] })
  if (needsData === false && data !== undefined)
    return createIssue(`${path}/data`, 'exclusive', 'is not allowed for this operation. Leave it out.', { with: 'op' })
  if (status || (op !== 'publish' && op !== 'unpublish')) return undefined
  const message = `must be another operation, because entries of ${key} have no status`
  return createIssue(`${path}/op`, 'status', message, { collection: key })
}

/** True for operations that must have data, false for those that must not. */
const NEEDS_DATA: { readonly [op in BatchOp]?: boolean } = { create: true, update: true, delete: false, restore: true }

const KEYS = ['op', 'collection', 'id', 'ifMatch', 'data']

function readOperation(
  context: ContentContext,
  operation: unknown,
  path: string,
  issues: Issue[],
): OperationHead | undefined {
  const addIssue = (key: string, ...violation: Violation): undefined => {
    issues.push(createIssue(`${path}${key}`, ...violation))
  }
  if (!isRecord(operation)) return addIssue('', 'type', 'must be an object', { types: ['object'] })
  for (const key of Object.keys(operation))
    if (!KEYS.includes(key)) addIssue(`/${key}`, 'unknown_field', unknownName('field', key.slice(0, 64)))
  const { op, id = '', ifMatch, data } = operation
  const collection = findCollection(context, operation.collection)
  const tags = ifMatch === undefined ? undefined : parseTags(ifMatch)
  if (!isBatchOp(op)) return addIssue('/op', 'enum', `must be one of: ${BATCH_OPS.join(', ')}`, { values: BATCH_OPS })
  if (!collection) return addIssue('/collection', ...createCollectionViolation(operation.collection))
  const violation = findIdViolation(op, id)
  if (violation) return addIssue('/id', ...violation)
  if (ifMatch !== undefined && !tags) return addIssue('/ifMatch', 'entity_tag', 'must be * or an entity tag in quotes')
  const misuse = findMisuse(path, op, collection, data)
  if (misuse) issues.push(misuse)
  return { op, collection, id: String(id), data, options: tags ? { ifMatch: tags } : {} }
}

const findCollection = ({ model }: ContentContext, key: unknown): CollectionModel | undefined =>
  typeof key === 'string' ? model.collections.get(key) : undefined

function createCollectionViolation(key: unknown): Violation {
  const message = 'must be the key of a collection'
  return typeof key === 'string'
    ? ['unknown', message, { name: key.slice(0, 64) }]
    : ['type', message, { types: ['string'] }]
}

/** Returns the violation of an invalid id: a create must not have one, and any other operation must. */
function findIdViolation(op: BatchOp, id: unknown): Violation | undefined {
  const message = 'must be the id of an entry'
  if (op === 'create')
    return id === '' ? undefined : ['exclusive', 'is not allowed for create. Leave it out.', { with: 'op' }]
  if (typeof id !== 'string' || id === '') return ['type', message, { types: ['string'] }]
  if (isUuidShaped(id)) return undefined
  return ['format', 'must be the id of an entry, not its slug. GET by slug returns the id.', { format: 'uuid' }]
}

/**
 * Parses the data of an operation, before any entry is loaded.
 *
 * @throws VALIDATION_ERROR
 */
function parseOperation(context: WriteContext, { op, data, ...head }: OperationHead, index: number): ParsedOperation {
  const { collection } = head
  try {
    if (op === 'delete') return { ...head, op }
    if (op === 'create') return { ...head, op, body: parseCreate(context, collection, data) }
    if (op === 'update') return { ...head, op, body: parseUpdate(context, collection, data) }
    return { ...head, op, body: parsePublication(context, collection, op, data) }
  } catch (error) {
    throw addIndex(error, index)
  }
}

/** Prepares an operation, whose errors name its index in the batch. */
async function prepareOperation(
  context: WriteContext,
  operation: ParsedOperation,
  index: number,
): Promise<PreparedWrite<BatchResult>> {
  const { op, collection, id } = operation
  const fail = (error: unknown): never => {
    throw addIndex(error, index)
  }
  const write = await prepareWrite(context, operation).catch(fail)
  return {
    ...write,
    commit: async (transaction) => {
      const result = await write.commit(transaction).catch(fail)
      const resultHead = { op, collection: collection.key, seq: result.seq }
      return 'json' in result ? { ...resultHead, id: result.id, entry: result } : { ...resultHead, id }
    },
  }
}

async function prepareWrite(
  context: WriteContext,
  operation: ParsedOperation,
): Promise<PreparedWrite<EntryResponse | { readonly seq: number }>> {
  const { collection, id, options } = operation
  switch (operation.op) {
    case 'create':
      return prepareCreate(context, collection, operation.body)
    case 'update':
      return prepareUpdate(context, new EntryTarget(context, collection, id), operation.body, options)
    case 'delete':
      return prepareDelete(context, new EntryTarget(context, collection, id), options)
    default:
      return preparePublication(context, collection, id, operation.body, options)
  }
}

function addIndex(error: unknown, index: number): unknown {
  if (error instanceof HookRefusal) return new HookRefusal(addIndex(error.reason, index))
  if (!(error instanceof DaybookError)) return error
  const { code, message, details } = error
  const issues = details.issues?.map((issue) => ({
    ...issue,
    path: `/operations/${index}/data${issue.path.replace(/^\/$/, '')}`,
  }))
  const batchDetails = { ...details, ...(issues ? { issues } : {}), operation: index }
  return new DaybookError(code, `Operation ${index}: ${message}`, batchDetails, error)
}
