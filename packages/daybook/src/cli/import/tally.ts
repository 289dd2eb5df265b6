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

  /** How many files name several entries in the text of a field for one. */
  readonly several: Map<string, number> = new Map()
  /** How many entries have a status, in a dry run. */
  readonly statuses: Map<string, number> = new Map()

  get done(): number {
    return Object.values(this.outcomes).reduce((sum, count) => sum + count, 0)
  }

  addUnused(keys: readonly string[]): void {
    for (const key of keys) {
      if (this.unused.has(key) || this.unused.size < MAX_KEYS) addOne(this.unused, key)
    }
  }

  addSeveral(fields: readonly string[]): void {
    for (const field of fields) addOne(this.several, field)
  }

  addStatus(status: string): void {
    addOne(this.statuses, status)
  }
}

const addOne = (counts: Map<string, number>, key: string): void => {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}
