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

/** A part of an item that can have the focus. */
export type ItemPart = 'toggle' | 'menu' | 'field'

/** A list at one moment. */
export interface ListSnapshot {
  readonly field: Keyed
  readonly items: Items
  readonly ids: readonly string[]
  readonly kinds: readonly ItemKind[]
  readonly t: Messages
}

/** What a list is changed through. */
export interface ListCommandOptions {
  readonly getList: () => ListSnapshot
  readonly getId: (item: unknown, index: number) => string
  readonly setItems: (items: Items) => void
  readonly folds: FoldActions
  /** Gives the focus to a part of an item once it is drawn; without an item, to what adds one. */
  readonly focus: (id: string | undefined, part: ItemPart) => void
  /** Says something to those who cannot see the list. */
  readonly announce: (text: string) => void
}

/** What changes a list: each change says itself, and leaves the focus where a person goes on. */
export class ListCommands {
  readonly #tools: ListCommandOptions
  readonly folds: FoldActions
  readonly announce: (text: string) => void

  constructor(tools: ListCommandOptions) {
    this.#tools = tools
    this.folds = tools.folds
    this.announce = tools.announce
  }

  indexOf(id: string): number {
    return this.#tools.getList().ids.indexOf(id)
  }

  getItem(id: string): unknown {
    return this.#tools.getList().items[this.indexOf(id)]
  }

  /** Inserts a new item in front of that at `index`. */
  insert(kind: ItemKind, index: number): void {
    const item = createItem(kind)
    this.#insert(index, [item])
    this.#say((texts) => texts.inserted(this.#nameOf(item, index)))
  }

  /** Inserts items that come from elsewhere, as far as they fit. */
  paste(given: Items | undefined, index: number): void {
    const { kinds } = this.#tools.getList()
    const { items, isWhole } = fitItems(kinds, given ?? [])
    if (items.length > 0) this.#insert(index, items)
    this.#say((texts) => {
      if (items.length === 0) return texts.nothingToPaste
      return [texts.pasted(items.length), ...(isWhole ? [] : [texts.pastedPartly])].join(' ')
    })
  }

  /** Adds an item at the end; the focus stays. */
  append(item: unknown): void {
    this.#tools.setItems([...this.#tools.getList().items, item])
  }

  /** Removes an item; the focus stays. */
  drop(id: string): void {
    this.#tools.setItems(removeItem(this.#tools.getList().items, this.indexOf(id)))
  }

  duplicate(id: string): void {
    const index = this.indexOf(id)
    const item = this.getItem(id)
    this.#insert(index + 1, [item])
    this.#say((texts) => texts.inserted(this.#nameOf(item, index)))
  }

  /** @param to tells the new index from the present one and the last one */
  move(id: string, to: (index: number, last: number) => number): void {
    const { items } = this.#tools.getList()
    const index = this.indexOf(id)
    const next = Math.max(0, Math.min(to(index, items.length - 1), items.length - 1))
    if (index < 0 || next === index) return
    this.#tools.focus(this.#tools.getId(items[index], next), 'menu')
    this.#tools.setItems(moveItem(items, index, next))
    this.#say((texts) => texts.moved(this.#nameOf(items[index], index), next + 1, items.length))
  }

  remove(id: string): void {
    const { items, ids } = this.#tools.getList()
    const index = this.indexOf(id)
    if (index < 0) return
    // Values of one line are told by their place, which the next one takes.
    const isTold = id.startsWith('#')
    const next = isTold ? ids[Math.min(index, ids.length - 2)] : (ids[index + 1] ?? ids[index - 1])
    this.#tools.focus(next, 'menu')
    this.#tools.setItems(removeItem(items, index))
    this.#say((texts) => texts.removed(this.#nameOf(items[index], index)))
  }

  /** Inserts items, each with a key of its own, wherever they come from. */
  #insert(index: number, given: Items): void {
    const { setItems: put, getId: idOf, folds, focus } = this.#tools
    const { field, items: present } = this.#tools.getList()
    const items = assignNewKeys(field, given) as Items
    const ids = items.map((item, at) => idOf(item, index + at))
    focus(ids[0], 'field')
    put(insertItems(present, index, items))
    for (const id of ids) folds.set(id, false)
  }

  #nameOf(item: unknown, index: number): string {
    const { kinds, t } = this.#tools.getList()
    return findItemKind(kinds, item)?.label ?? t.fields.item(index + 1)
  }

  #say(text: (texts: Messages['fields']) => string): void {
    this.#tools.announce(text(this.#tools.getList().t.fields))
  }
}
