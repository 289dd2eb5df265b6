import {
  executeAll,
  HookRefusal,
  type LastStep,
  type PreparedWrite,
  StaleWrite,
  type WriteContext,
} from '../../content/writes/index.ts'
import type { Writer } from '../../store/writes/writer.ts'
import {
  type BlockedUndo,
  planUndo,
  type UndoObstacle,
  type UndoPlan,
  type UndoRange,
  type UndoStep,
} from './undo-plan.ts'
import { findObstacle, type OtherSteps, prepareStep, type UndoneStep } from './undo-writes.ts'

/** The result of an undo: the reverted documents, and those that it skipped. */
export interface UndoReport {
  readonly undone: readonly UndoneStep[]
  readonly blocked: readonly BlockedUndo[]
}

export interface UndoOutcome {
  readonly report: UndoReport
  /** The number of its first change; `undefined` if it changed nothing. */
  readonly firstSeq: number | undefined
}

/** The number of times that a document is retried after the others, which may have a unique value or be a reference. */
const MAX_DEFERRALS = 2
const MAX_ATTEMPTS = 200

/** A failed step; the undo is retried without it, or with it last. */
class StepFailed extends Error {
  override readonly name = 'StepFailed'
  readonly step: UndoStep
  readonly reason: UndoObstacle

  constructor(step: UndoStep, reason: UndoObstacle, cause: unknown) {
    super(`undo of ${getKey(step)}: ${reason}`, { cause })
    this.step = step
    this.reason = reason
  }
}

const getKey = ({ collection, id }: Pick<UndoStep, 'collection' | 'id'>): string => `${collection} ${id}`

interface UndoState {
  /** The number of deferrals of each document. */
  readonly deferred: Map<string, number>
  readonly blocked: Map<string, BlockedUndo>
}

/**
 * Undoes the changes of a range by new ones, in one transaction. It skips documents that have changed since, and those that cannot be
 * reverted.
 *
 * @throws VALIDATION_ERROR for an empty or too long range; CONFLICT if the documents keep changing
 */
export async function undo(context: WriteContext, range: UndoRange): Promise<UndoOutcome> {
  const state: UndoState = { deferred: new Map(), blocked: new Map() }
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await attemptUndo(context, range, state)
    } catch (error) {
      if (!(error instanceof StepFailed)) throw error
      noteFailure(state, error, attempt >= MAX_ATTEMPTS)
    }
  }
}

function noteFailure({ deferred, blocked }: UndoState, { step, reason }: StepFailed, isLast: boolean): void {
  const key = getKey(step)
  const times = deferred.get(key) ?? 0
  if (reason !== 'access' && times < MAX_DEFERRALS && !isLast) {
    deferred.delete(key)
    deferred.set(key, times + 1)
  } else {
    const { collection, id, changes } = step
    blocked.set(key, { collection, id, reason, changes: changes.map(({ seq }) => seq) })
  }
}

async function attemptUndo(context: WriteContext, range: UndoRange, state: UndoState): Promise<UndoOutcome> {
  let plan: UndoPlan | undefined
  const { results, firstSeq } = await executeAll(context, async () => {
    const currentPlan = await planUndo(context.content, context.access, range)
    plan = currentPlan
    const steps = orderSteps(currentPlan.steps, state)
    const removed = new Set(steps.filter(({ former }) => !former).map(getKey))
    const restored = new Set(steps.filter(({ former, target }) => former && !target.current).map(getKey))
    const otherSteps: OtherSteps = {
      isRemoved: (entry) => removed.has(getKey(entry)),
      isRestored: (entry) => restored.has(getKey(entry)),
    }
    const writes: PreparedWrite<UndoneStep | undefined>[] = [requireUnchanged(currentPlan)]
    for (const step of steps) {
      const stepWrites = await prepareStep(context, step, otherSteps).catch((error: unknown) => fail(step, error))
      writes.push(...stepWrites.map((write) => withStepErrors(step, write)))
    }
    return writes
  })
  const lastResults = new Map(results.flatMap((result) => (result ? [[getKey(result), result] as const] : [])))
  const blocked = [...(plan?.blocked ?? []), ...state.blocked.values()]
  return { report: { undone: [...lastResults.values()], blocked }, firstSeq }
}

/** Orders the steps: updates, deletions, restorations, each with the latest change first; steps that failed before come last. */
function orderSteps(steps: readonly UndoStep[], { deferred, blocked }: UndoState): readonly UndoStep[] {
  const remaining = steps.filter((step) => !blocked.has(getKey(step)))
  const rank = (step: UndoStep): number => (step.former ? (step.target.current ? 0 : 2) : 1)
  const lastSeq = ({ changes }: UndoStep): number => changes.at(-1)?.seq ?? 0
  const deferrals = new Map([...deferred.keys()].map((key, index) => [key, index + 1]))
  const deferral = (step: UndoStep): number => deferrals.get(getKey(step)) ?? 0
  return remaining.toSorted((a, b) => deferral(a) - deferral(b) || rank(a) - rank(b) || lastSeq(b) - lastSeq(a))
}

/** Rejects the undo if a document has changed since the plan was made. */
const requireUnchanged = ({ head, steps }: UndoPlan): PreparedWrite<undefined> => ({
  // A failure retries the whole undo, and must not affect other writes.
  exclusive: true,
  commit: async ({ writer }) => {
    const planned = new Set(steps.map(getKey))
    if (await isChangedSince(writer, head, planned)) throw new StaleWrite()
    return undefined
  },
})

async function isChangedSince({ read }: Writer, head: number, planned: ReadonlySet<string>): Promise<boolean> {
  for (
    let page = await read.journal.records(head);
    page.length > 0;
    page = await read.journal.records(page.at(-1)?.seq ?? 0)
  ) {
    if (page.some((record) => planned.has(getKey(record)))) return true
  }
  return false
}

const withStepErrors = (step: UndoStep, write: PreparedWrite<UndoneStep>): PreparedWrite<UndoneStep> => ({
  ...write,
  commit: (transaction) => {
    const addLastStep = (lastStep: LastStep): void =>
      transaction.addLastStep((writer) => lastStep(writer).catch((error: unknown) => fail(step, error)))
    return write.commit({ ...transaction, addLastStep }).catch((error: unknown) => fail(step, error))
  },
})

/** @throws {StepFailed} if the error concerns the document */
function fail(step: UndoStep, error: unknown): never {
  if (error instanceof StaleWrite) throw error
  const reason = error instanceof HookRefusal ? findObstacle(error.reason) && 'hook' : findObstacle(error)
  throw reason === undefined ? error : new StepFailed(step, reason, error)
}
