/** The columns that a person chose for each collection, in this browser. */
export class ColumnMemory {
  readonly #name: string

  /** @param person the subject of who is signed in */
  constructor(person: string, collection: string) {
    this.#name = `daybook-studio:${person}:columns:${collection}`
  }

  /** As addresses name them; `undefined`: nothing was chosen. */
  get(): string | undefined {
    return localStorage.getItem(this.#name) ?? undefined
  }

  /** @param columns `undefined`: forgets what was chosen */
  set(columns: string | undefined): void {
    if (columns === undefined) localStorage.removeItem(this.#name)
    else localStorage.setItem(this.#name, columns)
  }
}
