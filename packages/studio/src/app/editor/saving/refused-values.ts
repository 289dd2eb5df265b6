import type { Issue } from 'daybook'
import { findLeafByPointer, type Leaves } from './document-fields.ts'

export interface Refusal {
  readonly code: string
  readonly message: string
  readonly issues: readonly Issue[]
}

/** A rejected value. A different one may be sent. */
interface RefusedValue extends Refusal {
  readonly value: unknown
}

/** Values by path of the leaf. */
type LeafValues = ReadonlyMap<string, unknown>

/** The values that the service has rejected. Each waits for another edit, while the rest is saved. */
export class RefusedValues {
  readonly #leaves: Leaves
  #valuesByPath: ReadonlyMap<string, RefusedValue> = new Map()

  constructor(leaves: Leaves) {
    this.#leaves = leaves
  }

  /** Records the sent values that a refusal names. @returns false if it names none, and rejects the save as a whole */
  add(sent: LeafValues, { code, message, issues: allIssues }: Refusal): boolean {
    // The service cannot know which value makes a body too large.
    const issues = code === 'PAYLOAD_TOO_LARGE' ? createSizeIssue(sent, message) : allIssues
    const refusedValues = [...sent].flatMap(([path, value]) => {
      const leafIssues = issues.filter((issue) => findLeafByPointer(this.#leaves, issue.path)?.path === path)
      return leafIssues.length > 0 ? [[path, { code, message, value, issues: leafIssues }] as const] : []
    })
    this.#valuesByPath = new Map([...this.#valuesByPath, ...refusedValues])
    return refusedValues.length > 0
  }

  filterAccepted(edits: LeafValues): LeafValues {
    return new Map([...edits].filter(([path, value]) => !this.#isRefused(path, value)))
  }

  getRefusals(edits: LeafValues): readonly Refusal[] {
    return [...this.#valuesByPath].flatMap(([path, refused]) =>
      edits.has(path) && this.#isRefused(path, edits.get(path)) ? [refused] : [],
    )
  }

  forget(saved: LeafValues): void {
    this.#valuesByPath = new Map([...this.#valuesByPath].filter(([path]) => !saved.has(path)))
  }

  clear(): void {
    this.#valuesByPath = new Map()
  }

  #isRefused(path: string, value: unknown): boolean {
    const refused = this.#valuesByPath.get(path)
    return refused !== undefined && Object.is(refused.value, value)
  }
}

/** Creates an issue for the largest value in a body. */
function createSizeIssue(sent: LeafValues, message: string): readonly Issue[] {
  const sizes = [...sent].map(([path, value]) => ({ path, size: JSON.stringify(value).length }))
  const [largest] = sizes.sort((a, b) => b.size - a.size)
  return largest ? [{ path: `/${largest.path.replaceAll('.', '/')}`, code: 'too_large', message }] : []
}
