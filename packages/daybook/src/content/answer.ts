/** A document as it is answered. */
export interface Answer {
  /** JSON text. */
  readonly json: string
  /** Strong entity tag, with its quotes. */
  readonly tag: string
  /** `seq` of the last change: the revision. */
  readonly seq: number
}

/** A read that can be answered: its tag is known, and its content is read where somebody needs it. */
export interface ReadPlan {
  /** Strong entity tag, with its quotes. */
  readonly tag: string
  /** What the answer is made of: `posts:ID` for a document, `posts` for a whole collection. */
  madeOf(): readonly string[]
  /** The JSON text. */
  read(): Promise<string>
}

/**
 * What an answer is made of, each once.
 *
 * @param collections whose documents are embedded, or decide what is shown
 */
export const madeOf = (own: string, collections: readonly { readonly key: string }[]): readonly string[] =>
  collections.length === 0 ? [own] : [...new Set([own, ...collections.map(({ key }) => key)])]

/** A stored entry as it is answered. */
export interface EntryAnswer extends Answer {
  readonly id: string
  /** Its slug, or its id in a collection without slugs. */
  readonly address: string
}
