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

/** What an undo has done, and which documents it has left as they are. */
export interface UndoReport {
  readonly undone: readonly UndoneStep[]
  readonly blocked: readonly BlockedUndo[]
}

/** What an undo came to. */
export interface UndoOutcome {
  readonly report: UndoReport
  /** The number of its own first change; `undefined`: there is none. */
  readonly firstSeq: number | undefined
}

/** How often a document is tried again after others: they may hold a value, or be what it refers to. */
const MAX_DEFERRALS = 2
/** How often all of it is tried again. */
const MAX_ATTEMPTS = 200

/** A step that failed, so that all of it is tried again without it. */
class StepFailed extends Error {
  override readonly name = 'StepFailed'
  readonly step: UndoStep
  readonly reason: UndoObstacle

  constructor(step: UndoStep, reason: UndoObstacle, cause: unknown) {
    super(`undo of ${nameOf(step)}: ${reason}`, { cause })
    this.step = step
    this.reason = reason
  }
}

const nameOf = ({ collection, id }: Pick<UndoStep, 'collection' | 'id'>): string => `${collection} ${id}`

/** What earlier attempts have found out. */
interface UndoState {
  /** How often a document was put behind the others. */
  readonly deferred: Map<string, number>
  readonly blocked: Map<string, BlockedUndo>
}

/**
 * Undoes the changes of a range by new ones, in one transaction. A document that was changed since stays as it is; so does one that
 * cannot become again what it was.
 *
 * @throws VALIDATION_ERROR when the range is none, or too long; CONFLICT when the documents keep changing
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
  const name = nameOf(step)
  const times = deferred.get(name) ?? 0
  if (reason !== 'access' && times < MAX_DEFERRALS && !isLast) {
    deferred.delete(name)
    deferred.set(name, times + 1)
  } else {
    const { collection, id, changes } = step
    blocked.set(name, { collection, id, reason, changes: changes.map(({ seq }) => seq) })
  }
}

async function attemptUndo(context: WriteContext, range: UndoRange, state: UndoState): Promise<UndoOutcome> {
  let plan: UndoPlan | undefined
  const { results, firstSeq } = await executeAll(context, async () => {
    const planned = await planUndo(context.services, context.access, range)
    plan = planned
    const steps = inOrder(planned.steps, state)
    const removed = new Set(steps.filter(({ former }) => !former).map(nameOf))
    const back = new Set(steps.filter(({ former, target }) => former && !target.present).map(nameOf))
    const others: OtherSteps = {
      isRemoved: (entry) => removed.has(nameOf(entry)),
      isRestored: (entry) => back.has(nameOf(entry)),
    }
    const writes: PreparedWrite<UndoneStep | undefined>[] = [guard(planned)]
    for (const step of steps) {
      const own = await prepareStep(context, step, others).catch((error: unknown) => fail(step, error))
      writes.push(...own.map((write) => ofStep(step, write)))
    }
    return writes
  })
  const last = new Map(results.flatMap((one) => (one ? [[nameOf(one), one] as const] : [])))
  const blocked = [...(plan?.blocked ?? []), ...state.blocked.values()]
  return { report: { undone: [...last.values()], blocked }, firstSeq }
}

/** Changes before what is there no more, what was changed last first; those that failed before, behind all others. */
function inOrder(steps: readonly UndoStep[], { deferred, blocked }: UndoState): readonly UndoStep[] {
  const left = steps.filter((step) => !blocked.has(nameOf(step)))
  const rank = (step: UndoStep): number => (step.former ? (step.target.present ? 0 : 2) : 1)
  const lastSeq = ({ changes }: UndoStep): number => changes.at(-1)?.seq ?? 0
  const places = new Map([...deferred.keys()].map((name, index) => [name, index + 1]))
  const place = (step: UndoStep): number => places.get(nameOf(step)) ?? 0
  return left.toSorted(
    (one, other) => place(one) - place(other) || rank(one) - rank(other) || lastSeq(other) - lastSeq(one),
  )
}

/** Nothing is overwritten that was changed after the plan was made. */
const guard = ({ head, steps }: UndoPlan): PreparedWrite<undefined> => ({
  // What fails is tried again as a whole, and takes nothing of others with it.
  exclusive: true,
  commit: async ({ writer }) => {
    const planned = new Set(steps.map(nameOf))
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
    if (page.some((record) => planned.has(nameOf(record)))) return true
  }
  return false
}

const ofStep = (step: UndoStep, write: PreparedWrite<UndoneStep>): PreparedWrite<UndoneStep> => ({
  ...write,
  commit: (transaction) => {
    const atEnd = (last: LastStep): void =>
      transaction.addLastStep((writer) => last(writer).catch((error: unknown) => fail(step, error)))
    return write.commit({ ...transaction, addLastStep: atEnd }).catch((error: unknown) => fail(step, error))
  },
})

/** @throws {StepFailed} where the error is about the document */
function fail(step: UndoStep, error: unknown): never {
  if (error instanceof StaleWrite) throw error
  const reason = error instanceof HookRefusal ? findObstacle(error.reason) && 'hook' : findObstacle(error)
  throw reason === undefined ? error : new StepFailed(step, reason, error)
}
