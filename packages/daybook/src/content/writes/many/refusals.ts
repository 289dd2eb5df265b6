import { DaybookError } from '../../../errors.ts'
import { HookRefusal } from '../../hooks.ts'

/** The most refused entries that one answer names. */
const MAX_REFUSED = 100

/** Entries that refuse what is done to many at once. */
export class Refusals {
  #first: { readonly id: string; readonly error: unknown } | undefined
  readonly #ids: string[] = []

  /** Whether an answer names no more of them. */
  get isFull(): boolean {
    return this.#ids.length >= MAX_REFUSED
  }

  /** @throws the error itself where it says nothing of the entry, as when the database cannot be used */
  add(id: string, error: unknown): void {
    const reason = reasonOf(error)
    if (!(reason instanceof DaybookError) || (reason.code === 'SERVICE_UNAVAILABLE' && reason === error)) throw error
    this.#first ??= { id, error }
    this.#ids.push(id)
  }

  /** @throws the error of the first entry, with the ids of all in `details.refused` */
  throwAny(): void {
    if (this.#first) throw refused(this.#first.error, this.#first.id, this.#ids)
  }
}

const reasonOf = (error: unknown): unknown => (error instanceof HookRefusal ? error.reason : error)

function refused(error: unknown, id: string, ids: readonly string[]): unknown {
  if (error instanceof HookRefusal) return new HookRefusal(refused(error.reason, id, ids))
  if (!(error instanceof DaybookError)) return error
  const { code, message, details } = error
  return new DaybookError(code, `Entry ${id}: ${message}`, { ...details, refused: ids }, error)
}
