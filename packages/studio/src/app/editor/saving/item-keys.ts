import { isSame } from './merging/same-value.ts'
import { isRecord } from './saved-field.ts'

/**
 * Keys of blocks and of other objects in lists, which the service stores without any. They hold while an editor is open, through edits,
 * moves and saves, so that a form can follow an item.
 */
export class ItemKeys {
  readonly #keys = new WeakMap<object, string>()
  #count = 0

  /** The key of an item; `undefined` for what is no object, and is told by its place. */
  keyOf(item: unknown): string | undefined {
    if (!isRecord(item)) return undefined
    const key = this.#keys.get(item) ?? this.#newKey()
    this.#keys.set(item, key)
    return key
  }

  /** Gives an edited item the key of the item that it was. */
  carry<T extends object>(former: object, edited: T): T {
    const key = this.#keys.get(former)
    if (key !== undefined) this.#keys.set(edited, key)
    return edited
  }

  /** Gives items that came anew, from the service or from a merge, the keys of those that they were: the same ones first, then by place. */
  carryAll(former: unknown, value: unknown): void {
    if (isRecord(former) && isRecord(value)) {
      for (const [key, member] of Object.entries(value)) this.carryAll(former[key], member)
    }
    if (!Array.isArray(former) || !Array.isArray(value) || former === value) return
    const taken = new Set(value.map((item) => this.#named(item)))
    // What is still there keeps its key: a copy of it is another item.
    const left = former.filter((item) => this.#named(item) !== undefined && !taken.has(this.#named(item)))
    const unnamed = value.filter((item) => isRecord(item) && this.#named(item) === undefined)
    for (const item of unnamed) this.#carryFrom(left, item, (one) => isSame(one, item))
    for (const item of unnamed)
      if (!this.#keys.has(item))
        this.#carryFrom(left, item, (one) => former.indexOf(one) === value.indexOf(item) && one._type === item._type)
  }

  #named(item: unknown): string | undefined {
    return isRecord(item) ? this.#keys.get(item) : undefined
  }

  #carryFrom(
    left: Record<string, unknown>[],
    item: Record<string, unknown>,
    isIt: (one: Record<string, unknown>) => boolean,
  ): void {
    const index = left.findIndex(isIt)
    const [found] = index < 0 ? [] : left.splice(index, 1)
    if (!found) return
    this.carry(found, item)
    this.carryAll(found, item)
  }

  #newKey(): string {
    this.#count += 1
    return `i${this.#count}`
  }
}
