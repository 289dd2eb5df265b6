import type { StagedBlob } from './blob-store.ts'

/** What is staged, each name once, with the latest time that anything of it was written. */
export class StagedNames {
  readonly #latest = new Map<string, Date>()

  note(name: string, at: Date): void {
    const before = this.#latest.get(name)
    if (!before || before < at) this.#latest.set(name, at)
  }

  *[Symbol.iterator](): Iterator<StagedBlob> {
    for (const [name, at] of this.#latest) yield { name, at }
  }
}
