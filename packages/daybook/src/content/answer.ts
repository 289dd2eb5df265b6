/** A document as it is answered. */
export interface Answer {
  /** JSON text. */
  readonly json: string
  /** Strong entity tag, with its quotes. */
  readonly tag: string
  /** `seq` of the last change: the revision. */
  readonly seq: number
}

/** A stored entry as it is answered. */
export interface EntryAnswer extends Answer {
  readonly id: string
  /** Its slug, or its id in a collection without slugs. */
  readonly address: string
}
