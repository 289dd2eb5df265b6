import { isSameLeafValue, type Leaves, readLeaf } from './document-fields.ts'
import { type EditState, getCurrentValue, rebaseLeaf, type SetAsideValue, type UnfinishedText } from './edit-state.ts'
import type { Values } from './field-values.ts'

export interface DocumentRef {
  /** The key of a collection, or `globals`. */
  readonly collection: string
  /** `null` if the document was never stored. */
  readonly id: string | null
  /** Identifies an unstored document within this browser. */
  readonly newId?: string
  readonly locale?: string
}

/** A request to create a document. It is repeated unchanged until its outcome is known. */
export interface CreateAttempt {
  readonly idempotencyKey: string
  readonly body: Values
  /** The values of the body, by path of the leaf. */
  readonly values: readonly (readonly [path: string, value: unknown])[]
  /** The time of the first attempt, in milliseconds since 1970. */
  readonly at: number
}

/** The unsaved edits of one editor in one document, as JSON. */
export interface LocalCopy {
  readonly version: 1
  readonly person: string
  readonly document: DocumentRef
  /** The name of the editor that wrote the copy. */
  readonly editor: string
  /** The tag of the stored document that the edits are based on; its values follow. */
  readonly tag: string | null
  readonly values: Values
  readonly edits: readonly LocalEdit[]
  readonly sent: readonly (readonly [path: string, values: readonly unknown[]])[]
  readonly aside: readonly SetAsideValue[]
  readonly attempt?: CreateAttempt
  /** Texts that are not valid values yet. */
  readonly unfinished?: readonly (readonly [place: string, text: UnfinishedText])[]
  /** In milliseconds since 1970. */
  readonly savedAt: number
}

/** An edited value of a leaf, and the stored value that it replaces. */
export interface LocalEdit {
  readonly path: string
  readonly base: unknown
  readonly mine: unknown
}

/** The browser's store of local copies. Every method may reject, if the store is full or not permitted. */
export interface LocalCopies {
  get(key: string): Promise<LocalCopy | undefined>
  set(key: string, copy: LocalCopy): Promise<void>
  delete(key: string): Promise<void>
  /** Returns all keys. */
  list(): Promise<readonly string[]>
}

/** The open editors of this browser, in all tabs. */
export interface OpenEditors {
  /** Marks an editor as open. @returns a function that marks it as closed */
  register(editor: string): () => void
  isOpen(editor: string): Promise<boolean>
}

/** The limits for orphaned copies. */
export interface PruneLimits {
  /** @default 100 */
  readonly count?: number
  /** In milliseconds. @default 30 days */
  readonly age?: number
}

const DEFAULT_COUNT = 100
const DEFAULT_AGE = 30 * 24 * 60 * 60 * 1000

/** Returns the common prefix of the keys of one document's copies. */
export function getDocumentKey(person: string, { collection, id, newId, locale }: DocumentRef): string {
  return `${[person, collection, id ?? `new:${newId ?? ''}`, locale ?? ''].map(encodeURIComponent).join('/')}/`
}

export const getCopyKey = ({ person, document, editor }: Pick<LocalCopy, 'person' | 'document' | 'editor'>): string =>
  getDocumentKey(person, document) + encodeURIComponent(editor)

/** A copy without an open editor, and its key. */
export interface OrphanedCopy {
  readonly key: string
  readonly copy: LocalCopy
}

/**
 * Finds the copies of closed editors, oldest first.
 *
 * @param prefix the prefix of their keys, such as that of {@link getDocumentKey}
 */
export async function findOrphanedCopies(
  copies: LocalCopies,
  openEditors: OpenEditors,
  prefix: string,
): Promise<readonly OrphanedCopy[]> {
  const keys = (await copies.list()).filter((key) => key.startsWith(prefix))
  const candidates = await Promise.all(keys.map(async (key) => ({ key, copy: await copies.get(key) })))
  const orphans: OrphanedCopy[] = []
  for (const { key, copy } of candidates)
    if (copy?.version === 1 && !(await openEditors.isOpen(copy.editor))) orphans.push({ key, copy })
  return orphans.sort((a, b) => a.copy.savedAt - b.copy.savedAt)
}

/** Deletes orphaned copies that exceed the limits, oldest first. */
export async function pruneCopies(
  copies: LocalCopies,
  openEditors: OpenEditors,
  now: number,
  { count = DEFAULT_COUNT, age = DEFAULT_AGE }: PruneLimits = {},
): Promise<void> {
  const orphans = await findOrphanedCopies(copies, openEditors, '')
  const excess = orphans.length - count
  const expired = orphans.filter(({ copy }, index) => index < excess || now - copy.savedAt > age)
  for (const { key } of expired) await copies.delete(key)
}

/** The parts of a local copy that are not in the {@link EditState}. */
type CopyHead = Pick<LocalCopy, 'person' | 'document' | 'editor' | 'savedAt' | 'attempt'>

/** Creates the local copy of a state; `undefined` if the service has stored everything. */
export function toLocalCopy(state: EditState, leaves: Leaves, head: CopyHead): LocalCopy | undefined {
  const { edits, conflicts, sent, aside, stored, unfinished } = state
  if (edits.size + conflicts.size + aside.length + unfinished.size === 0 && !head.attempt) return undefined
  const getBase = (path: string): unknown => {
    const leaf = leaves.get(path)
    return leaf ? readLeaf(stored.values, leaf) : null
  }
  const ordinaryEdits = [...edits].map(([path, mine]) => ({ path, base: getBase(path), mine }))
  const conflictingEdits = [...conflicts.values()].map(({ path, base, mine }) => ({ path, base, mine }))
  return {
    version: 1,
    ...head,
    tag: stored.tag,
    values: stored.values,
    edits: [...ordinaryEdits, ...conflictingEdits],
    sent: [...sent],
    aside,
    ...(unfinished.size > 0 ? { unfinished: [...unfinished] } : {}),
  }
}

/** Adds the edits of a copy to a state. They are merged into newer values, and conflict if both changed the same. */
export function adoptCopy(state: EditState, leaves: Leaves, copy: LocalCopy): EditState {
  const sent = new Map(copy.sent)
  const adopted = copy.edits.reduce((next, edit) => adoptEdit(next, leaves, edit, sent.get(edit.path) ?? []), state)
  const isSameRevision = copy.tag === state.stored.tag
  return {
    ...adopted,
    // A save of the closed editor may still arrive as long as its tag is current.
    sent: isSameRevision ? new Map([...copy.sent, ...adopted.sent]) : adopted.sent,
    aside: [...adopted.aside, ...copy.aside],
    unfinished: new Map([...adopted.unfinished, ...(copy.unfinished ?? [])]),
  }
}

function adoptEdit(
  state: EditState,
  leaves: Leaves,
  { path, base, mine }: LocalEdit,
  sent: readonly unknown[],
): EditState {
  const leaf = leaves.get(path)
  if (!leaf) return setAside(state, { path, value: mine, reason: 'unknown-field' })
  const isEdited = state.edits.has(path) || state.conflicts.has(path)
  if (!isEdited) return rebaseLeaf(state, leaf, { base, mine }, sent)
  if (isSameLeafValue(leaf, getCurrentValue(state, leaf), mine)) return state
  return setAside(state, { path, value: mine, reason: 'other-copy' })
}

const setAside = (state: EditState, value: SetAsideValue): EditState => ({ ...state, aside: [...state.aside, value] })

/** The status of the local copy. `failed` means that the browser's store is full or not permitted. */
export type LocalCopyStatus = 'none' | 'writing' | 'kept' | 'failed'

/** Writes the local copy of one editor, one write at a time, and always the newest state. */
export class LocalCopyWriter {
  readonly #copies: LocalCopies
  readonly #onChange: () => void
  #status: LocalCopyStatus = 'none'
  #key: string | undefined
  #next: { readonly copy: LocalCopy | undefined } | undefined
  #writing: Promise<void> | undefined

  constructor(copies: LocalCopies, onChange: () => void) {
    this.#copies = copies
    this.#onChange = onChange
  }

  get status(): LocalCopyStatus {
    return this.#status
  }

  /**
   * Writes a copy, or deletes it if `undefined`. Never throws; see {@link status}.
   *
   * @returns a promise that resolves once this copy or a newer one is written
   */
  write(copy: LocalCopy | undefined): Promise<void> {
    this.#next = { copy }
    this.#writing ??= this.#writeAll()
    return this.#writing
  }

  /** Waits until no write is running. */
  async idle(): Promise<void> {
    await this.#writing
  }

  async #writeAll(): Promise<void> {
    while (this.#next) {
      const { copy } = this.#next
      this.#next = undefined
      const status = await this.#write(copy).catch((): LocalCopyStatus => 'failed')
      if (status !== this.#status) {
        this.#status = status
        this.#onChange()
      }
    }
    // Synchronously after the loop, so that the next copy starts another write.
    this.#writing = undefined
  }

  async #write(copy: LocalCopy | undefined): Promise<LocalCopyStatus> {
    const previousKey = this.#key
    const key = copy && getCopyKey(copy)
    if (copy && key !== undefined) await this.#copies.set(key, copy)
    this.#key = key ?? previousKey
    // A newly created entry gets a key with its id.
    if (previousKey !== undefined && previousKey !== key) await this.#copies.delete(previousKey)
    this.#key = key
    return copy ? 'kept' : 'none'
  }
}
