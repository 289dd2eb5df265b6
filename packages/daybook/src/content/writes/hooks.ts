import { AsyncLocalStorage } from 'node:async_hooks'
import { DaybookError } from '../../errors.ts'
import type { DocumentModel } from '../../model/model.ts'
import type { Store } from '../../store/store.ts'
import { TimeoutError, withTimeout } from '../../with-timeout.ts'
import type { Access } from '../access/access.ts'
import type { Values } from '../documents/document.ts'
import type { HookTime, Transact } from './pipeline.ts'

/** The action of a write that hooks are told of. */
export type WriteAction = 'create' | 'update' | 'delete'

/** What every hook of a write is told. */
export interface WriteEvent {
  readonly action: WriteAction
  /** A collection's or a global's key. */
  readonly key: string
  /** The access of the caller. */
  readonly access: Access
  /** The locale that is written; `undefined`: the config names none. */
  readonly locale: string | undefined
  /** Where the hook reads and writes content; in a transaction, a part of that. */
  readonly store: Store
}

/** A write before its data is checked. */
export interface ValidateEvent extends WriteEvent {
  /** An entry's id, or a global's key; `undefined` for a new entry. */
  readonly id: string | undefined
  /** A copy of the fields that the write names. */
  readonly data: Values
}

/** A write that is about to be stored. */
export interface ChangeEvent extends WriteEvent {
  readonly id: string
  /** The document as it is stored, in the written locale; `undefined` for a new one. */
  readonly before: Values | undefined
  /** The document as it will be stored; `undefined` when it is deleted. */
  readonly after: Values | undefined
}

/** A document that is about to be stored, for its validators. */
export interface CheckEvent extends WriteEvent {
  /** The document as it is stored; `undefined` for a new one. */
  readonly before: Values | undefined
  readonly after: Values
  /** Top-level fields whose values validators must not know; they are empty here. */
  readonly concealed: ReadonlySet<string>
}

/** What a validator answers about one value. */
export interface ValidatorResult {
  /** JSON Pointer to the value; empty for the document. */
  readonly path: string
  readonly result: unknown
}

/** A hook of one document. */
export interface WriteHook<Event extends WriteEvent> {
  /** The hook's owner, as the log names it, such as `plugin redirects`. */
  readonly owner: string
  /** Answers new data, or nothing; throws to refuse the write. */
  run(event: Event): unknown
}

/** The hooks of one document, in the order in which they run. */
export interface DocumentHooks {
  readonly beforeValidate: readonly WriteHook<ValidateEvent>[]
  readonly beforeChange: readonly WriteHook<ChangeEvent>[]
  /** Run in the transaction, too, when all hooks have: each answers a list of {@link ValidatorResult}. */
  readonly validate: readonly WriteHook<CheckEvent>[]
}

/** The kinds of hooks that run inside a transaction, as errors name them. */
export type TransactionHook = 'beforeChange' | 'validate'

/** A write was refused by a hook inside its transaction. Stores undo the transaction, and do not look at the reason. */
export class HookRefusal extends Error {
  override readonly name = 'HookRefusal'
  readonly reason: unknown

  constructor(reason: unknown) {
    super('A hook refused the write.')
    this.reason = reason
  }
}

/** How long those of one transaction may take together, in milliseconds: writers of other processes wait for four seconds. */
const MAX_TRANSACTION_MS = 3000
/** How deep hooks may write what has hooks. */
const MAX_HOOK_DEPTH = 8

/** A hook that runs now, and those that it runs inside of. */
interface RunningHook {
  readonly depth: number
  /** The open transaction that it holds up. */
  readonly transaction: { isOver: boolean } | undefined
}

/** The hooks of a config. */
export class WriteHooks {
  readonly #documents: ReadonlyMap<string, DocumentHooks>
  readonly #limitMs: number
  readonly #running = new AsyncLocalStorage<RunningHook>()

  /**
   * @param documents by {@link getHookKey}
   * @param limitMs how long one hook may take, in milliseconds
   */
  constructor(documents: ReadonlyMap<string, DocumentHooks>, limitMs: number) {
    this.#documents = documents
    this.#limitMs = limitMs
  }

  /** The hooks of a document; `undefined`: it has none. */
  get(document: Pick<DocumentModel, 'kind' | 'key'>): DocumentHooks | undefined {
    return this.#documents.get(getHookKey(document.kind, document.key))
  }

  /** Transactions in which hooks run: they belong to the caller's asynchronous context, and throw what a hook refused with. */
  wrap(transact: Transact): Transact {
    return (work, options) =>
      transact(AsyncLocalStorage.bind(work), options).catch((error) => {
        throw error instanceof HookRefusal ? error.reason : error
      })
  }

  /**
   * Refuses to wait for the transaction that the running hook holds up.
   *
   * @throws {Error} inside a transaction's hook
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

  /** Runs a `beforeChange` hook or a validator inside a transaction, of which the event's store is a part. */
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
      throw createHookError(`${title} writes what runs hooks that write again, ${MAX_HOOK_DEPTH} levels deep`)
    try {
      return await withTimeout(limitMs, () => this.#running.run({ depth, transaction }, () => hook.run(event)))
    } catch (error) {
      if (error instanceof DaybookError) throw error
      if (error instanceof TimeoutError) throw tooLate(`${title} took longer than ${limitMs} ms`)
      throw createHookError(`${title} failed`, error)
    }
  }
}

/** The name of a document among those that have hooks. */
export const getHookKey = (kind: DocumentModel['kind'], key: string): string => `${kind} ${key}`

const tooLate = (reason: string): DaybookError =>
  new DaybookError('SERVICE_UNAVAILABLE', 'A hook took too long; nothing was stored.', {}, new Error(reason))

/** A hook did what no hook may do; only the log names it. */
export const createHookError = (reason: string, cause?: unknown): DaybookError =>
  new DaybookError('INTERNAL_ERROR', undefined, {}, new Error(reason, { cause }))
