import type { Issue } from 'daybook'
import { findLeafByPointer, type Leaves } from './document-fields.ts'

/** What the service says against a save. */
export interface Refusal {
  readonly code: string
  readonly message: string
  readonly issues: readonly Issue[]
}

/** A value that the service does not take; another one may be sent. */
interface RefusedValue extends Refusal {
  readonly value: unknown
}

type ByLeaf = ReadonlyMap<string, unknown>

/** The values that the service does not take: they wait for another value, while the others are saved. */
export class RefusedValues {
  readonly #leaves: Leaves
  #refused: ReadonlyMap<string, RefusedValue> = new Map()

  constructor(leaves: Leaves) {
    this.#leaves = leaves
  }

  /** Remembers which of the values that were sent are refused. @returns false if none is: then the whole save is */
  add(sent: ByLeaf, { code, message, issues: all }: Refusal): boolean {
    const refusal = { code, message }
    // The service cannot say which value makes a body too large.
    const issues = code === 'PAYLOAD_TOO_LARGE' ? issuesOfLargest(sent, message) : all
    const told = [...sent].flatMap(([path, value]) => {
      const own = issues.filter((issue) => findLeafByPointer(this.#leaves, issue.path)?.path === path)
      return own.length > 0 ? [[path, { ...refusal, value, issues: own }] as const] : []
    })
    this.#refused = new Map([...this.#refused, ...told])
    return told.length > 0
  }

  /** The edits that may be sent: the others stand as they were refused. */
  filterAccepted(edits: ByLeaf): ByLeaf {
    return new Map([...edits].filter(([path, value]) => !this.#isRefused(path, value)))
  }

  /** What is refused of these edits. */
  getRefusals(edits: ByLeaf): readonly Refusal[] {
    return [...this.#refused].flatMap(([path, refused]) =>
      edits.has(path) && this.#isRefused(path, edits.get(path)) ? [refused] : [],
    )
  }

  /** Forgets refusals of leaves that were saved since. */
  forget(saved: ByLeaf): void {
    this.#refused = new Map([...this.#refused].filter(([path]) => !saved.has(path)))
  }

  clear(): void {
    this.#refused = new Map()
  }

  #isRefused(path: string, value: unknown): boolean {
    const refused = this.#refused.get(path)
    return refused !== undefined && Object.is(refused.value, value)
  }
}

/** An issue against the value that takes most room in a body. */
function issuesOfLargest(sent: ByLeaf, message: string): readonly Issue[] {
  const sizes = [...sent].map(([path, value]) => ({ path, size: JSON.stringify(value).length }))
  const [largest] = sizes.sort((a, b) => b.size - a.size)
  return largest ? [{ path: `/${largest.path.replaceAll('.', '/')}`, code: 'too_large', message }] : []
}
