/** Which document changed. */
export interface ChangedDocument {
  /** The key of a collection, or `globals`. */
  readonly collection: string
  readonly id: string
}

/** Told of each change that the service tells of. */
export type ChangeListener = (change: ChangedDocument) => void

/** Passes on what live events tell, to pages that hold a document of their own. */
export class Changes {
  readonly #listeners = new Set<ChangeListener>()

  readonly subscribe = (listener: ChangeListener): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly announce = (change: ChangedDocument): void => {
    for (const listener of this.#listeners) listener(change)
  }
}
