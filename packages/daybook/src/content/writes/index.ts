export { BATCH_OPS, type BatchResult, MAX_OPERATIONS, runBatch } from './batch.ts'
export { checkBody, schemaWithout } from './body.ts'
export { deleteMany, updateMany } from './bulk.ts'
export { MAX_MANY, type ManyEntries, type ManyResult, type Step } from './bulk-write.ts'
export { type WriteContext, writeContext } from './context.ts'
export { authorizeNewEntry, parseCreate, prepareCreate } from './create.ts'
export { prepareDelete } from './delete.ts'
export { EntryTarget } from './entry-target.ts'
export { GlobalTarget } from './global-target.ts'
export { writableIn } from './hidden-values.ts'
export {
  type ChangeEvent,
  type CheckEvent,
  type DocumentHooks,
  HookRefusal,
  hookedName,
  type ValidateEvent,
  type ValidatorAnswer,
  type WriteEvent,
  type WriteHook,
  WriteHooks,
} from './hooks/hooks.ts'
export {
  type CommittedWrites,
  execute,
  executeAll,
  type LastStep,
  type PreparedWrite,
  StaleWrite,
  type Transact,
} from './pipeline.ts'
export { requireTargets } from './references.ts'
export { listReferrers } from './referrers.ts'
export { prepareReplace } from './replace.ts'
export { parseUpdate, prepareUpdate } from './update.ts'
