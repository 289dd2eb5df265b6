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

/** The outcome of a request. After `set-aside`, some values are refused as they are, and the others can be sent. */
export type RequestOutcome = { readonly kind: 'done' } | { readonly kind: 'set-aside' } | Failure

/** The content of one save. */
export interface SavePlan {
  /** Values by leaf. */
  readonly values: ReadonlyMap<string, unknown>
  readonly body: Values
  /** True if members of groups are merged in (RFC 7396). */
  readonly isMerge: boolean
}

/** A document in its editor: its state, its requests to the service, and its copies in this browser. */
export class EditedDocument {
  readonly #options: EditorOptions
  readonly #editorName: string
  readonly #creation = new Creation()
  readonly #refused: RefusedValues
  /** The copy that this editor writes. */
  readonly localCopy: LocalCopyWriter
  ref: DocumentRef
  state: EditState
  /** True once there is something to edit. */
  isLoaded = false
  #left: readonly OrphanedCopy[] = []

  /**
   * @param editorName the editor's part of the keys of local copies
   * @param onCopyChange called when the local copy becomes safe, or fails
   */
  constructor(options: EditorOptions, editorName: string, onCopyChange: () => void) {
    this.#options = options
    this.#editorName = editorName
    this.#refused = new RefusedValues(options.leaves)
    this.localCopy = new LocalCopyWriter(options.copies, onCopyChange)
    this.ref = options.document
    this.state = createEditState({ tag: null, values: options.initial ?? {} })
  }

  /** True if there is something to send. */
  get hasWork(): boolean {
    return this.#creation.attempt !== undefined || this.#sendable().size > 0
  }

  /** The refusals of present edits. */
  get refusals(): readonly Refusal[] {
    return this.#refused.getRefusals(this.state.edits)
  }

  /** Lets refused values be sent again. */
  forgetRefusals(): void {
    this.#refused.clear()
  }

  /** Gives up an attempt to create the document, whose outcome may be unknown. */
  endCreation(): void {
    this.#creation.end()
  }

  /** Reads the document, and merges a newer version into the edits. */
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

  /** Plans a save of all edits that can be sent, and remembers that they are. */
  prepareSave(): SavePlan {
    const plan = planSave(this.#sendable(), this.#options.leaves)
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
      this.#refused.forget(values)
      return { kind: 'done' }
    } catch (error) {
      const failure = classifyError(error)
      const isSetAside = failure.kind === 'refused' && this.#refused.add(values, failure)
      return isSetAside ? { kind: 'set-aside' } : failure
    }
  }

  /** Prepares the request that creates the document. @returns `undefined` if an earlier one is too old to be repeated */
  prepareCreation(): CreateAttempt | undefined {
    const { clock, newName, initial, leaves } = this.#options
    const at = clock.now()
    return this.#creation.begin(at, () => {
      const values = this.#sendable()
      const body = { ...initial, ...toBody(values, leaves) }
      return { idempotencyKey: newName(), body, values: [...values], at }
    })
  }

  async create(attempt: CreateAttempt, signal: AbortSignal): Promise<RequestOutcome> {
    const { remote, leaves } = this.#options
    const values = new Map(attempt.values)
    try {
      const { id, ...stored } = await remote.create(attempt.body, attempt.idempotencyKey, signal)
      this.#creation.end()
      const { newId: _, ...name } = this.ref
      this.ref = { ...name, id }
      this.state = applySaved(this.state, leaves, values, stored)
      this.#refused.forget(values)
      return { kind: 'done' }
    } catch (error) {
      return this.#creation.fail(classifyError(error))
    }
  }

  /** Writes everything that is not stored to the local copy. @returns when it is written */
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

  /** Finds the copies that closed editors of the document left in this browser. */
  async findOrphanedCopies(): Promise<void> {
    const { copies, open, person } = this.#options
    this.#left = await findOrphanedCopies(copies, open, getDocumentKey(person, this.ref)).catch(() => [])
  }

  /** The document as the newest copy of a closed editor has it. */
  get lastKnownState(): EditState | undefined {
    const newest = this.#left.at(-1)?.copy
    return newest && createEditState({ tag: newest.tag, values: newest.values })
  }

  /** Makes the document editable, with the edits of closed editors. @returns their copies */
  adoptOrphanedCopies(): readonly OrphanedCopy[] {
    const left = this.#left
    this.#left = []
    for (const { copy } of left) {
      this.state = adoptCopy(this.state, this.#options.leaves, copy)
      if (this.ref.id === null) this.#creation.adopt(copy.attempt)
    }
    this.isLoaded = true
    return left
  }

  /** Deletes copies of closed editors, unless the copy of this editor, which has their edits now, failed. */
  async deleteOrphanedCopies(left: readonly OrphanedCopy[]): Promise<void> {
    if (this.localCopy.status === 'failed') return
    for (const { key } of left) await this.#options.copies.delete(key).catch(() => undefined)
  }

  /** The edits without conflicts, and without refused values. */
  #sendable(): ReadonlyMap<string, unknown> {
    return this.#refused.filterAccepted(this.state.edits)
  }
}

/**
 * Plans a save: the leaves that changed, and nothing else. A merge patch reaches into groups, but would merge into JSON objects as well: where
 * there are both, these are left to the next save.
 */
function planSave(edits: ReadonlyMap<string, unknown>, leaves: Leaves): SavePlan {
  const isMerge = [...edits.keys()].some((path) => path.includes('.'))
  const values = new Map([...edits].filter(([, value]) => !isMerge || !isRecord(value)))
  return { values, body: toBody(values, leaves), isMerge }
}

/** Makes a body with these leaves. */
function toBody(values: ReadonlyMap<string, unknown>, leaves: Leaves): Values {
  let body: Values = {}
  for (const [path, value] of values) {
    const leaf = leaves.get(path)
    if (leaf) body = writeLeaf(body, leaf, value)
  }
  return body
}

/** The service remembers the answer to a creation for a day. */
const ATTEMPT_MS = 23 * 60 * 60 * 1000

/** Creates a document once: an attempt is repeated as it was, until its outcome is known. */
class Creation {
  #attempt: CreateAttempt | undefined
  /** Whether it may have been carried out, and its answer lost. */
  #isOpen = false

  get attempt(): CreateAttempt | undefined {
    return this.#attempt
  }

  /** Takes up an attempt of an editor that is not open any more: its outcome is not known. */
  adopt(attempt: CreateAttempt | undefined): void {
    if (!attempt) return
    this.#attempt ??= attempt
    this.#isOpen = true
  }

  /** @returns the attempt to send; `undefined`: one is too old, and would create the document again */
  begin(now: number, make: () => CreateAttempt): CreateAttempt | undefined {
    this.#attempt ??= make()
    return now - this.#attempt.at > ATTEMPT_MS ? undefined : this.#attempt
  }

  /** Its outcome is known, or given up. */
  end(): void {
    this.#attempt = undefined
    this.#isOpen = false
  }

  /** @returns what its failure means: an answer that may not be given again is no refusal of the first request */
  fail(failure: Failure): Failure {
    if (failure.kind === 'wait') this.#isOpen = true
    if (failure.kind === 'refused' && failure.code === 'FORBIDDEN' && this.#isOpen) return { kind: 'used-key' }
    if (failure.kind === 'refused') this.end()
    return failure
  }
}
