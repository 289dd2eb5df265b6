import { adoptCopy } from './copies/adopt-copy.ts'
import { CopyKeeper, type CopyState } from './copies/copy-keeper.ts'
import { type DocumentName, documentKey, type LeftCopy, leftCopies } from './copies/local-copies.ts'
import { toLocalCopy } from './copies/to-local-copy.ts'
import { Creation } from './creation.ts'
import { cleanState, type EditState } from './edit-state.ts'
import type { EditorOptions } from './editor-options.ts'
import { type UnfinishedText, type UnfinishedTexts, withUnfinished } from './unfinished-texts.ts'

/** A document as its editor has it: what is stored, what was made of it since, and the local copy of that. */
export class EditedDocument {
  readonly #options: EditorOptions
  readonly #keeper: CopyKeeper
  readonly #ownName: string
  /** The request that creates it, until its outcome is known. */
  readonly creation = new Creation()
  name: DocumentName
  state: EditState
  /** Whether there is something to edit. */
  isLoaded = false
  #unfinished: UnfinishedTexts = new Map()
  #left: readonly LeftCopy[] = []

  /**
   * @param ownName of the editor, in the keys of local copies
   * @param onChange told when the local copy is safe, or is not
   */
  constructor(options: EditorOptions, ownName: string, onChange: () => void) {
    this.#options = options
    this.#ownName = ownName
    this.#keeper = new CopyKeeper(options.copies, onChange)
    this.name = options.document
    this.state = cleanState({ tag: null, values: options.initial ?? {} })
  }

  /** Whether what is not stored is safe in this browser. */
  get localCopy(): CopyState {
    return this.#keeper.state
  }

  /** The text at a place that says no value yet. */
  unfinishedAt(place: string): UnfinishedText | undefined {
    return this.#unfinished.get(place)
  }

  keepUnfinished(place: string, unfinished: UnfinishedText | undefined): void {
    const next = withUnfinished(this.#unfinished, place, unfinished)
    if (next === this.#unfinished) return
    this.#unfinished = next
    void this.keep()
  }

  /** Keeps in this browser what is not stored. @returns when it is written */
  keep(): Promise<void> {
    const { leaves, person, clock } = this.#options
    const { attempt } = this.creation
    const head = {
      person,
      document: this.name,
      editor: this.#ownName,
      savedAt: clock.now(),
      ...(attempt ? { attempt } : {}),
      ...(this.#unfinished.size > 0 ? { unfinished: [...this.#unfinished] } : {}),
    }
    return this.#keeper.keep(toLocalCopy(this.state, leaves, head))
  }

  /** Takes a state that the service made. */
  receive(state: EditState): void {
    this.state = state
  }

  /** Finds what other editors of the document left behind in this browser. */
  async findLeft(): Promise<void> {
    const { copies, open, person } = this.#options
    this.#left = await leftCopies(copies, open, documentKey(person, this.name)).catch(() => [])
  }

  /** What the newest copy that was left behind knows of the document. */
  get lastSeen(): EditState | undefined {
    const newest = this.#left.at(-1)?.copy
    return newest && cleanState({ tag: newest.tag, values: newest.values })
  }

  /** Takes up what was left behind, once there is a document to put it beside. @returns it */
  adoptLeft(): readonly LeftCopy[] {
    const left = this.#left
    this.#left = []
    for (const { copy } of left) {
      this.state = adoptCopy(this.state, this.#options.leaves, copy)
      if (this.name.id === null) this.creation.adopt(copy.attempt)
      this.#unfinished = new Map([...this.#unfinished, ...(copy.unfinished ?? [])])
    }
    this.isLoaded = true
    return left
  }

  /** Deletes copies that were taken up, where they are kept under the name of this editor now. */
  async dropLeft(left: readonly LeftCopy[]): Promise<void> {
    if (this.localCopy === 'failed') return
    for (const { key } of left) await this.#options.copies.delete(key).catch(() => undefined)
  }

  /** Drops all that is not stored. */
  forget(): void {
    this.creation.end()
    this.#unfinished = new Map()
  }

  /** Deletes the local copy. */
  dropCopy(): Promise<void> {
    return this.#keeper.keep(undefined)
  }

  /** @returns when nothing is being written */
  idle(): Promise<void> {
    return this.#keeper.idle()
  }
}
