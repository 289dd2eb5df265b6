/** The values of a document, as the service answers and takes them. */
export type Values = Readonly<Record<string, unknown>>

/** What saving needs to know of a field; a `FieldDescription` of the service's model is one. */
export interface SavedField {
  readonly key: string
  /** The name of its type, such as `text`. */
  readonly type: string
  /** Whether this session may write it. */
  readonly writable: boolean
  /** The fields of a group. */
  readonly fields?: readonly SavedField[] | undefined
  /** The kinds of blocks. */
  readonly blocks?: readonly { readonly type: string; readonly fields: readonly SavedField[] }[] | undefined
  /** The member that tells an item of a list from the others. */
  readonly itemKey?: string | undefined
  /** An item of a list. */
  readonly of?: Pick<SavedField, 'type' | 'fields' | 'blocks' | 'of' | 'itemKey'> | undefined
  /** Keys of what the service makes from it. */
  readonly generated?: readonly string[] | undefined
}

export const isRecord = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
