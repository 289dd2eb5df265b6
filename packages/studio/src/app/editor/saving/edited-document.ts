import { type Leaves, writeLeaf } from './document-fields.ts'
import { applySaved, createEditState, type EditState, markSent, mergeNewer } from './edit-state.ts'
import type { EditorOptions } from './editor-options.ts'
import { classifyError, type Failure } from './failure.ts'
import { isRecord, type Values } from './field-values.ts'
import {
  adoptCopy,
  type CreateAttempt,
  type DocumentRef,
  findOrphanedCopies,
  getDocumentKey,
  LocalCopyWriter,
  type OrphanedCopy,
  toLocalCopy,
} from './local-copies.ts'
import { type Refusal, RefusedValues } from './refused-values.ts'

/** The outcome of a request. After `set-aside`, some values were rejected, and the rest can be sent. */
export type RequestOutcome = { readonly kind: 'done' } | { readonly kind: 'set-aside' } | Failure

export interface SavePlan {
  /** Values by path of the leaf. */
  readonly values: ReadonlyMap<string, unknown>
  readonly body: Values
  /** True if the body is a merge patch (RFC 7396). */
  readonly isMerge: boolean
}

/** A document in its editor: its state, its requests to the service, and its copies in this browser. */
export class EditedDocument {
  readonly #options: EditorOptions
  readonly #editorName: string
  readonly #creation = new Creation()
  readonly #refusedValues: RefusedValues
  readonly localCopy: LocalCopyWriter
  ref: DocumentRef
  state: EditState
  /** True once the document can be edited. */
  isLoaded = false
  #orphans: readonly OrphanedCopy[] = []

  /**
   * @param editorName the editor's part in the keys of local copies
   * @param onCopyChange called when the status of the local copy changes
   */
  constructor(options: EditorOptions, editorName: string, onCopyChange: () => void) {
    this.#options = options
    this.#editorName = editorName
    this.#refusedValues = new RefusedValues(options.leaves)
    this.localCopy = new LocalCopyWriter(options.copies, onCopyChange)
    this.ref = options.document
    this.state = createEditState({ tag: null, values: options.initial ?? {} })
  }

  /** True if there is something to send. */
  get hasWork(): boolean {
    return this.#creation.attempt !== undefined || this.#getSendableEdits().size > 0
  }

  get refusals(): readonly Refusal[] {
    return this.#refusedValues.getRefusals(this.state.edits)
  }

  /** Allows rejected values to be sent again. */
  forgetRefusals(): void {
    this.#refusedValues.clear()
  }

  /** Abandons an attempt to create the document, even if its outcome is unknown. */
  endCreation(): void {
    this.#creation.end()
  }

  /** Reads the document, and rebases the edits onto a newer revision. */
  async read(signal: AbortSignal): Promise<RequestOutcome> {
    const { remote, leaves } = this.#options
    try {
      const stored = await remote.read(this.ref.id ?? '', signal)
      if (!stored) return { kind: 'gone' }
      this.state = this.isLoaded ? mergeNewer(this.state, leaves, stored) : createEditState(stored)
      return { kind: 'done' }
    } catch (error) {
      return classifyError(error)
    }
  }

  /** Plans a save of all edits that can be sent, and records them as sent. */
  prepareSave(): SavePlan {
    const plan = planSave(this.#getSendableEdits(), this.#options.leaves)
    this.state = markSent(this.state, plan.values)
    return plan
  }

  async save({ values, body, isMerge }: SavePlan, signal: AbortSignal): Promise<RequestOutcome> {
    const { remote, leaves } = this.#options
    const { tag } = this.state.stored
    if (this.ref.id === null || tag === null) throw new TypeError('A stored document has an id and a tag.')
    try {
      const stored = await remote.save(this.ref.id, { body, isMerge, tag }, signal)
      this.state = applySaved(this.state, leaves, values, stored)
      this.#refusedValues.forget(values)
      return { kind: 'done' }
    } catch (error) {
      const failure = classifyError(error)
      const isSetAside = failure.kind === 'refused' && this.#refusedValues.add(values, failure)
      return isSetAside ? { kind: 'set-aside' } : failure
    }
  }

  /** Prepares the request that creates the document. @returns `undefined` if an earlier attempt is too old to repeat */
  prepareCreation(): CreateAttempt | undefined {
    const { clock, generateName, initial, leaves } = this.#options
    const at = clock.now()
    return this.#creation.begin(at, () => {
      const values = this.#getSendableEdits()
      const body = { ...initial, ...toBody(values, leaves) }
      return { idempotencyKey: generateName(), body, values: [...values], at }
    })
  }

  async create(attempt: CreateAttempt, signal: AbortSignal): Promise<RequestOutcome> {
    const { remote, leaves } = this.#options
    const values = new Map(attempt.values)
    try {
      const { id, ...stored } = await remote.create(attempt.body, attempt.idempotencyKey, signal)
      this.#creation.end()
      const { newId: _, ...ref } = this.ref
      this.ref = { ...ref, id }
      this.state = applySaved(this.state, leaves, values, stored)
      this.#refusedValues.forget(values)
      return { kind: 'done' }
    } catch (error) {
      return this.#creation.fail(classifyError(error))
    }
  }

  /** Writes all unsaved edits to the local copy. Resolves once they are written. */
  writeLocalCopy(): Promise<void> {
    const { leaves, person, clock } = this.#options
    const { attempt } = this.#creation
    const head = {
      person,
      document: this.ref,
      editor: this.#editorName,
      savedAt: clock.now(),
      ...(attempt ? { attempt } : {}),
    }
    return this.localCopy.write(toLocalCopy(this.state, leaves, head))
  }

  /** Finds the copies of closed editors of this document. */
  async findOrphanedCopies(): Promise<void> {
    const { copies, openEditors, person } = this.#options
    this.#orphans = await findOrphanedCopies(copies, openEditors, getDocumentKey(person, this.ref)).catch(() => [])
  }

  /** The stored document as the newest copy of a closed editor knew it. */
  get lastKnownState(): EditState | undefined {
    const newest = this.#orphans.at(-1)?.copy
    return newest && createEditState({ tag: newest.tag, values: newest.values })
  }

  /** Makes the document editable, and adopts the edits of closed editors. @returns their copies */
  adoptOrphanedCopies(): readonly OrphanedCopy[] {
    const orphans = this.#orphans
    this.#orphans = []
    for (const { copy } of orphans) {
      this.state = adoptCopy(this.state, this.#options.leaves, copy)
      if (this.ref.id === null) this.#creation.adopt(copy.attempt)
    }
    this.isLoaded = true
    return orphans
  }

  /** Deletes copies of closed editors, unless this editor's copy, which now contains their edits, could not be written. */
  async deleteOrphanedCopies(orphans: readonly OrphanedCopy[]): Promise<void> {
    if (this.localCopy.status === 'failed') return
    for (const { key } of orphans) await this.#options.copies.delete(key).catch(() => undefined)
  }

  /** Returns the edits without conflicts and rejected values. */
  #getSendableEdits(): ReadonlyMap<string, unknown> {
    return this.#refusedValues.filterAccepted(this.state.edits)
  }
}

/**
 * Plans a save of the changed leaves. Leaves inside groups need a merge patch, which would also merge into JSON objects; if there are both, the
 * JSON objects wait for the next save.
 */
function planSave(edits: ReadonlyMap<string, unknown>, leaves: Leaves): SavePlan {
  const isMerge = [...edits.keys()].some((path) => path.includes('.'))
  const values = new Map([...edits].filter(([, value]) => !isMerge || !isRecord(value)))
  return { values, body: toBody(values, leaves), isMerge }
}

function toBody(values: ReadonlyMap<string, unknown>, leaves: Leaves): Values {
  let body: Values = {}
  for (const [path, value] of values) {
    const leaf = leaves.get(path)
    if (leaf) body = writeLeaf(body, leaf, value)
  }
  return body
}

/** The age at which an attempt is not repeated. The service keeps idempotency records for 24 hours. */
const ATTEMPT_MS = 23 * 60 * 60 * 1000

/** Creates a document exactly once, by repeating the same attempt until its outcome is known. */
class Creation {
  #attempt: CreateAttempt | undefined
  /** True if the attempt may have succeeded, and its response was lost. */
  #isUncertain = false

  get attempt(): CreateAttempt | undefined {
    return this.#attempt
  }

  /** Continues an attempt of a closed editor, whose outcome is unknown. */
  adopt(attempt: CreateAttempt | undefined): void {
    if (!attempt) return
    this.#attempt ??= attempt
    this.#isUncertain = true
  }

  /** Returns the attempt to send; `undefined` if it is too old, and could create the document twice. */
  begin(now: number, make: () => CreateAttempt): CreateAttempt | undefined {
    this.#attempt ??= make()
    return now - this.#attempt.at > ATTEMPT_MS ? undefined : this.#attempt
  }

  /** Forgets the attempt, because its outcome is known or no longer matters. */
  end(): void {
    this.#attempt = undefined
    this.#isUncertain = false
  }

  /** Interprets the failure of an attempt. A repeated attempt may be forbidden although the first one succeeded. */
  fail(failure: Failure): Failure {
    if (failure.kind === 'wait') this.#isUncertain = true
    if (failure.kind === 'refused' && failure.code === 'FORBIDDEN' && this.#isUncertain) return { kind: 'used-key' }
    if (failure.kind === 'refused') this.end()
    return failure
  }
}
