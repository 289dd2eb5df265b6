import { isSameLeafValue, type Leaves, readLeaf } from './document-fields.ts'
import { type EditState, getCurrentValue, rebaseLeaf, type SetAsideValue, type UnfinishedText } from './edit-state.ts'
import type { Values } from './field-values.ts'

/** Which document is edited. */
export interface DocumentRef {
  /** The key of a collection or a global. */
  readonly collection: string
  /** `null`: it was never stored. */
  readonly id: string | null
  /** Names a document that was never stored, in this browser alone. */
  readonly newId?: string
  readonly locale?: string
}

/** One request to create a document: it is sent again as it was, until its outcome is known. */
export interface CreateAttempt {
  readonly idempotencyKey: string
  readonly body: Values
  /** The values of the body, by leaf. */
  readonly values: readonly (readonly [path: string, value: unknown])[]
  /** When it was first sent, in milliseconds since 1970. */
  readonly at: number
}

/** What one editor has typed in one document and is not stored by the service yet. It holds JSON alone. */
export interface LocalCopy {
  readonly version: 1
  readonly person: string
  readonly document: DocumentRef
  /** Names the editor that wrote it. */
  readonly editor: string
  /** The tag of the version that it was made from, and what that says. */
  readonly tag: string | null
  readonly values: Values
  readonly edits: readonly LocalEdit[]
  readonly sent: readonly (readonly [path: string, values: readonly unknown[]])[]
  readonly aside: readonly SetAsideValue[]
  readonly attempt?: CreateAttempt
  /** What is typed and says no value yet. */
  readonly unfinished?: readonly (readonly [place: string, text: UnfinishedText])[]
  /** In milliseconds since 1970. */
  readonly savedAt: number
}

/** A value of a leaf, and what it was made from. */
export interface LocalEdit {
  readonly path: string
  readonly base: unknown
  readonly mine: unknown
}

/** Where a browser keeps local copies. Each function may fail: the store may be full, or not allowed. */
export interface LocalCopies {
  get(key: string): Promise<LocalCopy | undefined>
  set(key: string, copy: LocalCopy): Promise<void>
  delete(key: string): Promise<void>
  /** All keys. */
  list(): Promise<readonly string[]>
}

/** Which editors of this browser are open, in any tab; a browser's locks tell it, also after a crash. */
export interface OpenEditors {
  /** Says that an editor is open. @returns says that it is not any more */
  register(editor: string): () => void
  isOpen(editor: string): Promise<boolean>
}

/** How much of what was left behind is kept. */
export interface PruneLimits {
  /** @default 100 */
  readonly count?: number
  /** In milliseconds. @default 30 days */
  readonly age?: number
}

const DEFAULT_COUNT = 100
const DEFAULT_AGE = 30 * 24 * 60 * 60 * 1000

/** Where the copies of one document are kept, without the editor. */
export function getDocumentKey(person: string, { collection, id, newId, locale }: DocumentRef): string {
  return `${[person, collection, id ?? `new:${newId ?? ''}`, locale ?? ''].map(encodeURIComponent).join('/')}/`
}

/** The key of a copy. */
export const getCopyKey = ({ person, document, editor }: Pick<LocalCopy, 'person' | 'document' | 'editor'>): string =>
  getDocumentKey(person, document) + encodeURIComponent(editor)

/** A copy that no open editor holds, and its key. */
export interface OrphanedCopy {
  readonly key: string
  readonly copy: LocalCopy
}

/**
 * The copies that were left behind by editors that are not open any more, the oldest first.
 *
 * @param prefix of their keys: of a person (`documentKey` of a document for one of these)
 */
export async function findOrphanedCopies(
  copies: LocalCopies,
  open: OpenEditors,
  prefix: string,
): Promise<readonly OrphanedCopy[]> {
  const keys = (await copies.list()).filter((key) => key.startsWith(prefix))
  const found = await Promise.all(keys.map(async (key) => ({ key, copy: await copies.get(key) })))
  const left: OrphanedCopy[] = []
  for (const { key, copy } of found)
    if (copy?.version === 1 && !(await open.isOpen(copy.editor))) left.push({ key, copy })
  return left.sort((a, b) => a.copy.savedAt - b.copy.savedAt)
}

/** The copies of all documents that a person has left behind. */
export const findOrphanedCopiesOf = (
  copies: LocalCopies,
  open: OpenEditors,
  person: string,
): Promise<readonly OrphanedCopy[]> => findOrphanedCopies(copies, open, `${encodeURIComponent(person)}/`)

/** Deletes copies that are too old or too many, the oldest first; never one of an open editor. */
export async function pruneCopies(
  copies: LocalCopies,
  open: OpenEditors,
  now: number,
  { count = DEFAULT_COUNT, age = DEFAULT_AGE }: PruneLimits = {},
): Promise<void> {
  const left = await findOrphanedCopies(copies, open, '')
  const tooMany = left.length - count
  const doomed = left.filter(({ copy }, index) => index < tooMany || now - copy.savedAt > age)
  for (const { key } of doomed) await copies.delete(key)
}

/** The parts of a local copy that are not in the state of the document. */
type CopyHead = Pick<LocalCopy, 'person' | 'document' | 'editor' | 'savedAt' | 'attempt'>

/** Returns the content of the local copy; `undefined` if the service has stored everything. */
export function toLocalCopy(state: EditState, leaves: Leaves, head: CopyHead): LocalCopy | undefined {
  const { edits, conflicts, sent, aside, stored, unfinished } = state
  if (edits.size + conflicts.size + aside.length + unfinished.size === 0 && !head.attempt) return undefined
  const baseOf = (path: string): unknown => {
    const leaf = leaves.get(path)
    return leaf ? readLeaf(stored.values, leaf) : null
  }
  const ordinary = [...edits].map(([path, mine]) => ({ path, base: baseOf(path), mine }))
  const inConflict = [...conflicts.values()].map(({ path, base, mine }) => ({ path, base, mine }))
  return {
    version: 1,
    ...head,
    tag: stored.tag,
    values: stored.values,
    edits: [...ordinary, ...inConflict],
    sent: [...sent],
    aside,
    ...(unfinished.size > 0 ? { unfinished: [...unfinished] } : {}),
  }
}

/** Adopts the edits of a copy: as edits where nothing is newer, otherwise merged, and in conflict where both changed a field. */
export function adoptCopy(state: EditState, leaves: Leaves, copy: LocalCopy): EditState {
  const sent = new Map(copy.sent)
  const adopted = copy.edits.reduce((next, edit) => adoptEdit(next, leaves, edit, sent.get(edit.path) ?? []), state)
  const isSameVersion = copy.tag === state.stored.tag
  return {
    ...adopted,
    // A save by the former editor may still arrive while its tag holds.
    sent: isSameVersion ? new Map([...copy.sent, ...adopted.sent]) : adopted.sent,
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
  if (!leaf) return putAside(state, { path, value: mine, reason: 'unknown-field' })
  const isTaken = state.edits.has(path) || state.conflicts.has(path)
  if (!isTaken) return rebaseLeaf(state, leaf, { base, mine }, sent)
  if (isSameLeafValue(leaf, getCurrentValue(state, leaf), mine)) return state
  return putAside(state, { path, value: mine, reason: 'other-copy' })
}

const putAside = (state: EditState, aside: SetAsideValue): EditState => ({ ...state, aside: [...state.aside, aside] })

/** Whether what is not stored by the service is safe in this browser. `failed`: the browser's store is full, or not allowed. */
export type LocalCopyStatus = 'none' | 'writing' | 'kept' | 'failed'

/** Writes the local copy of one editor: one write at a time, always the newest. */
export class LocalCopyWriter {
  readonly #copies: LocalCopies
  readonly #onChange: () => void
  #state: LocalCopyStatus = 'none'
  #key: string | undefined
  #next: { readonly copy: LocalCopy | undefined } | undefined
  #writing: Promise<void> | undefined

  constructor(copies: LocalCopies, onChange: () => void) {
    this.#copies = copies
    this.#onChange = onChange
  }

  get status(): LocalCopyStatus {
    return this.#state
  }

  /**
   * Writes a copy, or deletes the one that is there. Never fails: see {@link status}.
   *
   * @returns when this copy, or a newer one, is written
   */
  write(copy: LocalCopy | undefined): Promise<void> {
    this.#next = { copy }
    this.#writing ??= this.#writeAll()
    return this.#writing
  }

  /** @returns when nothing is being written */
  async idle(): Promise<void> {
    await this.#writing
  }

  async #writeAll(): Promise<void> {
    while (this.#next) {
      const { copy } = this.#next
      this.#next = undefined
      const state = await this.#write(copy).catch((): LocalCopyStatus => 'failed')
      if (state !== this.#state) {
        this.#state = state
        this.#onChange()
      }
    }
    // At once: a copy that comes after the last look has to begin another write.
    this.#writing = undefined
  }

  async #write(copy: LocalCopy | undefined): Promise<LocalCopyStatus> {
    const former = this.#key
    const key = copy && getCopyKey(copy)
    if (copy && key !== undefined) await this.#copies.set(key, copy)
    this.#key = key ?? former
    // An entry that was created goes on under its id.
    if (former !== undefined && former !== key) await this.#copies.delete(former)
    this.#key = key
    return copy ? 'kept' : 'none'
  }
}
