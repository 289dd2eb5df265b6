/** The outcome of one file. */
export type ImportOutcome = 'created' | 'updated' | 'translated' | 'unchanged' | 'failed'

/** The most front-matter keys without a field that are told apart. */
const MAX_KEYS = 1000

/** Counts what became of the files of one run. */
export class ImportTally {
  readonly outcomes: Record<ImportOutcome, number> = {
    created: 0,
    updated: 0,
    translated: 0,
    unchanged: 0,
    failed: 0,
  }
  /** How many files had a front-matter key that no field has. */
  readonly unused: Map<string, number> = new Map()

  get done(): number {
    return Object.values(this.outcomes).reduce((sum, count) => sum + count, 0)
  }

  addUnused(keys: readonly string[]): void {
    for (const key of keys) {
      const count = this.unused.get(key)
      if (count !== undefined || this.unused.size < MAX_KEYS) this.unused.set(key, (count ?? 0) + 1)
    }
  }
}
