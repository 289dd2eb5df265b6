import { AsyncLocalStorage } from 'node:async_hooks'
import { DaybookError } from '../../errors.ts'
import type { DocumentModel } from '../../model/model.ts'
import type { Store } from '../../store/store.ts'
import { TimeoutError, withTimeout } from '../../with-timeout.ts'
import type { Access } from '../access/access.ts'
import type { Values } from '../documents/document.ts'
import type { HookTime, Transact } from './pipeline.ts'

export type WriteAction = 'create' | 'update' | 'delete'

export interface WriteEvent {
  readonly action: WriteAction
  readonly key: string
  readonly access: Access
  /** The locale that is written; `undefined` if the config names none. */
  readonly locale: string | undefined
  /** The store for the hook's content; inside a transaction, a part of that transaction. */
  readonly store: Store
}

export interface ValidateEvent extends WriteEvent {
  /** The id of the entry, or the key of the global; `undefined` for a new entry. */
  readonly id: string | undefined
  /** A copy of the fields that the write names. */
  readonly data: Values
}

export interface ChangeEvent extends WriteEvent {
  readonly id: string
  /** The document as it is stored, in the written locale; `undefined` for a new one. */
  readonly before: Values | undefined
  /** The document as it will be stored; `undefined` for a deletion. */
  readonly after: Values | undefined
}

export interface CheckEvent extends WriteEvent {
  /** The document as it is stored; `undefined` for a new one. */
  readonly before: Values | undefined
  readonly after: Values
  /** Top-level fields whose values validators must not see; they are empty in both documents. */
  readonly concealed: ReadonlySet<string>
}

export interface ValidatorResult {
  /** JSON Pointer to the value; empty for the document. */
  readonly path: string
  readonly result: unknown
}

export interface WriteHook<Event extends WriteEvent> {
  /** The owner of the hook as the log names it, such as `plugin redirects`. */
  readonly owner: string
  /** Returns new data, or nothing; throws to reject the write. */
  run(event: Event): unknown
}

export interface DocumentHooks {
  readonly beforeValidate: readonly WriteHook<ValidateEvent>[]
  readonly beforeChange: readonly WriteHook<ChangeEvent>[]
  /** Run in the transaction after all hooks; each returns a list of {@link ValidatorResult}. */
  readonly validate: readonly WriteHook<CheckEvent>[]
}

/** The hooks that run inside a transaction, as errors name them. */
export type TransactionHook = 'beforeChange' | 'validate'

/** Thrown if a hook rejects a write inside its transaction. Stores roll back without inspecting the reason. */
export class HookRefusal extends Error {
  override readonly name = 'HookRefusal'
  readonly reason: unknown

  constructor(reason: unknown) {
    super('A hook rejected the write.')
    this.reason = reason
  }
}

/** The maximum total time of the hooks of one transaction, in milliseconds. Writers of other processes wait four seconds. */
const MAX_TRANSACTION_MS = 3000
const MAX_HOOK_DEPTH = 8

interface RunningHook {
  /** 1 for a hook of the caller's write, 2 for a hook of a document that this hook writes, and so on. */
  readonly depth: number
  /** The open transaction that waits for the hook. */
  readonly transaction: { isOver: boolean } | undefined
}

export class WriteHooks {
  readonly #documents: ReadonlyMap<string, DocumentHooks>
  readonly #limitMs: number
  readonly #running = new AsyncLocalStorage<RunningHook>()

  /**
   * @param documents hooks by {@link getHookKey}
   * @param limitMs the timeout of one hook, in milliseconds
   */
  constructor(documents: ReadonlyMap<string, DocumentHooks>, limitMs: number) {
    this.#documents = documents
    this.#limitMs = limitMs
  }

  get(document: Pick<DocumentModel, 'kind' | 'key'>): DocumentHooks | undefined {
    return this.#documents.get(getHookKey(document.kind, document.key))
  }

  /** Wraps a function that runs transactions: it keeps the asynchronous context of the caller, and throws the reason of a {@link HookRefusal}. */
  wrap(transact: Transact): Transact {
    return (work, options) =>
      transact(AsyncLocalStorage.bind(work), options).catch((error) => {
        throw error instanceof HookRefusal ? error.reason : error
      })
  }

  /**
   * Prevents a deadlock: the transaction of the running hook waits for the hook, so the hook must not wait for the transaction.
   *
   * @throws {Error} inside a hook of a transaction
   */
  requireOutsideTransaction(): void {
    if (this.#holdsTransaction())
      throw new Error(
        'A hook inside a transaction used another content handle, which would wait for that transaction. Use event.content, or event.asSystem().',
      )
  }

  /** Runs a `beforeValidate` hook, before any transaction. */
  async runBeforeTransaction(hook: WriteHook<ValidateEvent>, event: ValidateEvent): Promise<unknown> {
    const transaction = this.#running.getStore()?.transaction
    return this.#run(hook, event, { transaction, limitMs: this.#limitMs, name: 'beforeValidate' })
  }

  /** Runs a `beforeChange` hook or a validator inside the transaction of the event's store. */
  async runInTransaction<Event extends WriteEvent>(
    name: TransactionHook,
    hook: WriteHook<Event>,
    event: Event,
    time: HookTime,
  ): Promise<unknown> {
    const transaction = { isOver: false }
    const allMs = Math.min(this.#limitMs, MAX_TRANSACTION_MS)
    const limitMs = Math.max(0, Math.ceil(allMs - time.spentMs))
    const begin = performance.now()
    try {
      return await this.#run(hook, event, { transaction, limitMs, name })
    } finally {
      transaction.isOver = true
      time.spentMs += performance.now() - begin
    }
  }

  #holdsTransaction(): boolean {
    const transaction = this.#running.getStore()?.transaction
    return transaction !== undefined && !transaction.isOver
  }

  async #run<Event extends WriteEvent>(
    hook: WriteHook<Event>,
    event: Event,
    { transaction, limitMs, name }: Pick<RunningHook, 'transaction'> & { limitMs: number; name: string },
  ): Promise<unknown> {
    const depth = (this.#running.getStore()?.depth ?? 0) + 1
    const title = `The hook ${name} of ${event.key} (${hook.owner})`
    if (depth > MAX_HOOK_DEPTH)
      throw createHookError(`${title} writes entries whose hooks write again, more than ${MAX_HOOK_DEPTH} levels deep`)
    try {
      return await withTimeout(limitMs, () => this.#running.run({ depth, transaction }, () => hook.run(event)))
    } catch (error) {
      if (error instanceof DaybookError) throw error
      if (error instanceof TimeoutError) throw tooLate(`${title} took longer than ${limitMs} ms`)
      throw createHookError(`${title} failed`, error)
    }
  }
}

export const getHookKey = (kind: DocumentModel['kind'], key: string): string => `${kind} ${key}`

const tooLate = (reason: string): DaybookError =>
  new DaybookError('SERVICE_UNAVAILABLE', 'A hook took too long. Nothing was stored.', {}, new Error(reason))

/** Creates the INTERNAL_ERROR for a hook that fails or returns an invalid result. Only the log contains the reason. */
export const createHookError = (reason: string, cause?: unknown): DaybookError =>
  new DaybookError('INTERNAL_ERROR', undefined, {}, new Error(reason, { cause }))
