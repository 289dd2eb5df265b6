export { BATCH_OPS, type BatchResult, MAX_OPERATIONS, runBatch } from './batch.ts'
export { checkBody, getSchemaWithout } from './body.ts'
export { bulkDelete, bulkUpdate } from './bulk.ts'
export { type BulkResult, type BulkSelection, type BulkStep, MAX_BULK_ENTRIES } from './bulk-write.ts'
export { createWriteContext, type WriteContext } from './context.ts'
export { authorizeNewEntry, parseCreate, prepareCreate } from './create.ts'
export { prepareDelete } from './delete.ts'
export { EntryTarget } from './entry-target.ts'
export { GlobalTarget } from './global-target.ts'
export {
  type ChangeEvent,
  type CheckEvent,
  type DocumentHooks,
  getHookKey,
  HookRefusal,
  type ValidateEvent,
  type ValidatorResult,
  type WriteEvent,
  type WriteHook,
  WriteHooks,
} from './hooks.ts'
export { listBrokenLinks, listReferrers } from './list-referrers.ts'
export { moveSchema, parseMove, prepareMove } from './move.ts'
export {
  type CommittedWrites,
  execute,
  executeAll,
  type LastStep,
  type PreparedWrite,
  StaleWrite,
  type Transact,
} from './pipeline.ts'
export { pickReadable, requireTargets } from './references.ts'
export { prepareReplace } from './replace.ts'
export { parseUpdate, prepareUpdate } from './update.ts'
