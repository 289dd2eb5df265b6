import type { CreateAttempt } from './copies/local-copies.ts'
import type { Failure } from './failure.ts'

/** The service remembers the answer to a creation for a day. */
const ATTEMPT_MS = 23 * 60 * 60 * 1000

/** Creates a document once: an attempt is repeated as it was, until its outcome is known. */
export class Creation {
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
