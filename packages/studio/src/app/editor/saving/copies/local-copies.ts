import type { Aside, UnfinishedText } from '../edit-state.ts'
import type { Values } from '../saved-field.ts'

/** Which document is edited. */
export interface DocumentName {
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
  readonly document: DocumentName
  /** Names the editor that wrote it. */
  readonly editor: string
  /** The tag of the version that it was made from, and what that says. */
  readonly tag: string | null
  readonly values: Values
  readonly edits: readonly LocalEdit[]
  readonly sent: readonly (readonly [path: string, values: readonly unknown[]])[]
  readonly aside: readonly Aside[]
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
  hold(editor: string): () => void
  isHeld(editor: string): Promise<boolean>
}

/** How much of what was left behind is kept. */
export interface CopyBounds {
  /** @default 100 */
  readonly count?: number
  /** In milliseconds. @default 30 days */
  readonly age?: number
}

const DEFAULT_COUNT = 100
const DEFAULT_AGE = 30 * 24 * 60 * 60 * 1000

/** Where the copies of one document are kept, without the editor. */
export function documentKey(person: string, { collection, id, newId, locale }: DocumentName): string {
  return `${[person, collection, id ?? `new:${newId ?? ''}`, locale ?? ''].map(encodeURIComponent).join('/')}/`
}

/** The key of a copy. */
export const copyKey = ({ person, document, editor }: Pick<LocalCopy, 'person' | 'document' | 'editor'>): string =>
  documentKey(person, document) + encodeURIComponent(editor)

/** A copy that no open editor holds, and its key. */
export interface LeftCopy {
  readonly key: string
  readonly copy: LocalCopy
}

/**
 * The copies that were left behind by editors that are not open any more, the oldest first.
 *
 * @param prefix of their keys: of a person (`documentKey` of a document for one of these)
 */
export async function leftCopies(copies: LocalCopies, open: OpenEditors, prefix: string): Promise<readonly LeftCopy[]> {
  const keys = (await copies.list()).filter((key) => key.startsWith(prefix))
  const found = await Promise.all(keys.map(async (key) => ({ key, copy: await copies.get(key) })))
  const left: LeftCopy[] = []
  for (const { key, copy } of found)
    if (copy?.version === 1 && !(await open.isHeld(copy.editor))) left.push({ key, copy })
  return left.sort((a, b) => a.copy.savedAt - b.copy.savedAt)
}

/** The copies of all documents that a person has left behind. */
export const leftCopiesOf = (copies: LocalCopies, open: OpenEditors, person: string): Promise<readonly LeftCopy[]> =>
  leftCopies(copies, open, `${encodeURIComponent(person)}/`)

/** Deletes copies that are too old or too many, the oldest first; never one of an open editor. */
export async function pruneCopies(
  copies: LocalCopies,
  open: OpenEditors,
  now: number,
  { count = DEFAULT_COUNT, age = DEFAULT_AGE }: CopyBounds = {},
): Promise<void> {
  const left = await leftCopies(copies, open, '')
  const tooMany = left.length - count
  const doomed = left.filter(({ copy }, index) => index < tooMany || now - copy.savedAt > age)
  for (const { key } of doomed) await copies.delete(key)
}
