import type { Messages } from '../../../messages/en.ts'
import { assignNewKeys, type Keyed } from '../../saving/field-values.ts'
import type { FoldActions } from './fold-state.ts'
import {
  createItem,
  findItemKind,
  fitItems,
  type ItemKind,
  type Items,
  insertItems,
  moveItem,
  removeItem,
} from './items.ts'

/** A focusable part of an item. */
export type ItemPart = 'toggle' | 'menu' | 'field'

export interface ListSnapshot {
  readonly field: Keyed
  readonly items: Items
  readonly ids: readonly string[]
  readonly kinds: readonly ItemKind[]
  readonly t: Messages
}

export interface ListCommandOptions {
  readonly getList: () => ListSnapshot
  readonly getId: (item: unknown, index: number) => string
  readonly setItems: (items: Items) => void
  readonly folds: FoldActions
  /** Focuses a part of an item once it is rendered; without an item, the control that adds one. */
  readonly focus: (id: string | undefined, part: ItemPart) => void
  /** Announces a change to screen readers. */
  readonly announce: (text: string) => void
}

/** The commands that change a list. Each one announces its change and moves the focus to where the user continues. */
export class ListCommands {
  readonly #options: ListCommandOptions
  readonly folds: FoldActions
  readonly announce: (text: string) => void

  constructor(options: ListCommandOptions) {
    this.#options = options
    this.folds = options.folds
    this.announce = options.announce
  }

  indexOf(id: string): number {
    return this.#options.getList().ids.indexOf(id)
  }

  getItem(id: string): unknown {
    return this.#options.getList().items[this.indexOf(id)]
  }

  /** Inserts a new item before the one at `index`. */
  insert(kind: ItemKind, index: number): void {
    const item = createItem(kind)
    this.#insert(index, [item])
    this.#announceText((texts) => texts.inserted(this.#getName(item, index)))
  }

  /** Inserts copied items, reduced to what the list accepts. */
  paste(copiedItems: Items | undefined, index: number): void {
    const { kinds } = this.#options.getList()
    const { items, isWhole } = fitItems(kinds, copiedItems ?? [])
    if (items.length > 0) this.#insert(index, items)
    this.#announceText((texts) => {
      if (items.length === 0) return texts.nothingToPaste
      return [texts.pasted(items.length), ...(isWhole ? [] : [texts.pastedPartly])].join(' ')
    })
  }

  /** Adds an item at the end without moving the focus. */
  append(item: unknown): void {
    this.#options.setItems([...this.#options.getList().items, item])
  }

  /** Removes an item without moving the focus. */
  drop(id: string): void {
    this.#options.setItems(removeItem(this.#options.getList().items, this.indexOf(id)))
  }

  duplicate(id: string): void {
    const index = this.indexOf(id)
    const item = this.getItem(id)
    this.#insert(index + 1, [item])
    this.#announceText((texts) => texts.inserted(this.#getName(item, index)))
  }

  /** @param to returns the new index from the current one and the last one */
  move(id: string, to: (index: number, last: number) => number): void {
    const { items } = this.#options.getList()
    const index = this.indexOf(id)
    const next = Math.max(0, Math.min(to(index, items.length - 1), items.length - 1))
    if (index < 0 || next === index) return
    this.#options.focus(this.#options.getId(items[index], next), 'menu')
    this.#options.setItems(moveItem(items, index, next))
    this.#announceText((texts) => texts.moved(this.#getName(items[index], index), next + 1, items.length))
  }

  remove(id: string): void {
    const { items, ids } = this.#options.getList()
    const index = this.indexOf(id)
    if (index < 0) return
    // Items without keys are identified by index, which passes to the next one.
    const isIndex = id.startsWith('#')
    const nextId = isIndex ? ids[Math.min(index, ids.length - 2)] : (ids[index + 1] ?? ids[index - 1])
    this.#options.focus(nextId, 'menu')
    this.#options.setItems(removeItem(items, index))
    this.#announceText((texts) => texts.removed(this.#getName(items[index], index)))
  }

  /** Inserts items with new keys. */
  #insert(index: number, items: Items): void {
    const { setItems, getId, folds, focus } = this.#options
    const { field, items: currentItems } = this.#options.getList()
    const newItems = assignNewKeys(field, items) as Items
    const ids = newItems.map((item, offset) => getId(item, index + offset))
    focus(ids[0], 'field')
    setItems(insertItems(currentItems, index, newItems))
    for (const id of ids) folds.set(id, false)
  }

  #getName(item: unknown, index: number): string {
    const { kinds, t } = this.#options.getList()
    return findItemKind(kinds, item)?.label ?? t.fields.item(index + 1)
  }

  #announceText(getText: (texts: Messages['fields']) => string): void {
    this.#options.announce(getText(this.#options.getList().t.fields))
  }
}
