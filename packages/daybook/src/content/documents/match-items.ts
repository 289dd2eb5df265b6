import { type Field, type Fields, isRecord } from '../../fields/field.ts'

/** An object of fields: a group, or a block. */
export type Item = Readonly<Record<string, unknown>>

/** Returns the field of the items of a list. Blocks are values of the field itself. */
export const getItemField = (field: Field): Field => field.type.item?.(field.options) ?? field

/** Returns the fields of a group, or of a block of its type. */
export function getObjectFields({ type, options }: Field, value: Item): Fields {
  return type.inner?.(options).find(({ block }) => block === undefined || block === value._type)?.fields ?? {}
}

/** An item of a list that is written. */
export interface WrittenItem {
  readonly item: unknown
  /** The index of the matching stored item; `null` for a new item; `undefined` if it has to be found. */
  readonly place?: number | null
}

/** An item of a stored list. */
export interface StoredItem {
  /** The values of the item in each locale. */
  readonly versions: readonly unknown[]
}

/** The maximum number of pairs of items that are compared by their words. */
const MAX_COMPARED_PAIRS = 2500
/** The maximum number of compared words of a text. */
const MAX_COMPARED_WORDS = 300
/** The similarity above which two items match. One equal member of two is not enough. */
const MIN_SIMILARITY = 0.5

/**
 * Finds the stored item that corresponds to each written one: an equal item, otherwise the most similar one, otherwise the one at the same
 * index if only localized values differ and no item has moved. An item unlike all stored ones of its type is new.
 *
 * @returns the indexes of the stored items; `undefined` for new items
 */
export function matchItems(
  field: Field,
  written: readonly WrittenItem[],
  stored: readonly StoredItem[],
): readonly (number | undefined)[] {
  const matching = new ItemMatcher(getItemField(field), written, stored)
  matching.matchEqual()
  matching.matchSimilar()
  matching.matchUnmoved()
  return matching.places
}

class ItemMatcher {
  readonly places: (number | undefined)[]
  readonly #field: Field
  readonly #written: readonly WrittenItem[]
  readonly #stored: readonly StoredItem[]
  readonly #open: Set<number>
  readonly #left: Set<number>

  constructor(field: Field, written: readonly WrittenItem[], stored: readonly StoredItem[]) {
    this.#field = field
    this.#written = written
    this.#stored = stored
    this.places = written.map(({ place }) => place ?? undefined)
    this.#open = new Set(written.flatMap(({ place }, index) => (place === undefined ? [index] : [])))
    this.#left = new Set(stored.keys())
    for (const place of this.places) if (place !== undefined) this.#left.delete(place)
  }

  /** Matches equal items: first those at the same index, then those that moved. */
  matchEqual(): void {
    if (!this.#isUnfinished()) return
    const texts = new Map([...this.#open].map((index) => [index, toComparableText(this.#field, this.#item(index))]))
    const storedTexts = new Map(
      [...this.#left].map((place) => [place, this.#versions(place).map((one) => toComparableText(this.#field, one))]),
    )
    for (const index of [...this.#open]) {
      if (storedTexts.get(index)?.includes(texts.get(index) ?? '')) this.#match(index, index)
    }
    const places = Map.groupBy(
      [...this.#left].flatMap((place) => [...new Set(storedTexts.get(place))].map((text) => ({ text, place }))),
      ({ text }) => text,
    )
    for (const index of [...this.#open]) {
      const equal = places.get(texts.get(index) ?? '')?.find(({ place }) => this.#left.has(place))
      if (equal) this.#match(index, equal.place)
    }
  }

  /** Matches similar items, the most similar ones first. */
  matchSimilar(): void {
    if (!this.#isUnfinished() || this.#open.size * this.#left.size > MAX_COMPARED_PAIRS) return
    const written = [...this.#open].map((index) => [index, collectEvidence(this.#field, this.#item(index))] as const)
    const stored = [...this.#left].map(
      (place) => [place, this.#versions(place).map((one) => collectEvidence(this.#field, one))] as const,
    )
    const pairs = written.flatMap(([index, evidence]) =>
      stored.map(([place, versions]) => ({
        index,
        place,
        score: Math.max(0, ...versions.map((one) => computeSimilarity(evidence, one))),
      })),
    )
    const similar = pairs.filter(({ score }) => score > MIN_SIMILARITY).sort((a, b) => b.score - a.score)
    for (const pair of similar) if (this.#isClear(pair, similar)) this.#match(pair.index, pair.place)
  }

  /** Returns true if no other pair is as good, since a translation in the wrong item is worse than none. */
  #isClear(pair: Pair, pairs: readonly Pair[]): boolean {
    const isOpen = ({ index, place }: Pair): boolean => this.#open.has(index) && this.#left.has(place)
    const isRival = (other: Pair): boolean =>
      other !== pair && other.score === pair.score && (other.index === pair.index || other.place === pair.place)
    if (!isOpen(pair)) return false
    return pair.index === pair.place || !pairs.some((other) => isRival(other) && isOpen(other))
  }

  /** Matches items by their indexes, as in a list that is written in another locale for the first time. */
  matchUnmoved(): void {
    const isUnmoved =
      this.#written.length === this.#stored.length &&
      this.places.every((place, index) => place === undefined || place === index)
    if (!isUnmoved) return
    for (const index of [...this.#open]) {
      const text = toSharedText(this.#field, this.#item(index))
      const isSame =
        this.#left.has(index) && this.#versions(index).some((one) => toSharedText(this.#field, one) === text)
      if (isSame) this.#match(index, index)
    }
  }

  #isUnfinished(): boolean {
    return this.#open.size > 0 && this.#left.size > 0
  }

  #item(index: number): unknown {
    return this.#written[index]?.item
  }

  #versions(place: number): readonly unknown[] {
    return this.#stored[place]?.versions ?? []
  }

  #match(index: number, place: number): void {
    this.places[index] = place
    this.#open.delete(index)
    this.#left.delete(place)
  }
}

/** A written item and a stored one that may match. */
interface Pair {
  readonly index: number
  readonly place: number
  readonly score: number
}

type Includes = (field: Field) => boolean

/** Returns the included fields of a value, without keys, empty members and generated values. */
function pickIncluded(field: Field, value: unknown, includes: Includes): unknown {
  if (Array.isArray(value)) {
    const inner = getItemField(field)
    return includes(inner) ? value.map((item) => pickIncluded(inner, item, includes)) : []
  }
  const isObject = isRecord(value) && field.type.inner !== undefined
  if (!isObject) return includes(field) ? (value ?? null) : null
  const members = Object.entries(getObjectFields(field, value)).flatMap(([key, inner]) => {
    const plain = includes(inner) ? pickIncluded(inner, value[key], includes) : null
    return plain === null || plain === '' || (Array.isArray(plain) && plain.length === 0) ? [] : [[key, plain]]
  })
  return { _type: value._type, ...Object.fromEntries(members) }
}

const toComparableText = (field: Field, item: unknown): string => JSON.stringify(pickIncluded(field, item, () => true))

/** Returns the values of an item that all locales share. */
const toSharedText = (field: Field, item: unknown): string =>
  JSON.stringify(pickIncluded(field, item, ({ options }) => options.localized !== true))

/** The values that identify an item among those of its type. */
interface Evidence {
  readonly type: unknown
  /** The words of each member with words. */
  readonly members: ReadonlyMap<string, ReadonlySet<string>>
  /** The keys of the localized members, which a locale may lack. */
  readonly localized: ReadonlySet<string>
}

/** Choices and booleans do not identify an item. */
const identifiesItem = ({ type, options }: Field): boolean =>
  type.choices?.(options) === undefined && type.scalar?.(options) !== 'boolean'

function collectEvidence(field: Field, item: unknown): Evidence {
  const plain = pickIncluded(field, item, identifiesItem)
  const { _type: type, ...members } = isRecord(plain) ? plain : { _type: undefined, value: plain }
  const words = Object.entries(members).map(([key, member]) => [key, splitWords(member)] as const)
  const inner = isRecord(item) ? Object.entries(getObjectFields(field, item)) : []
  return {
    type,
    members: new Map(words.filter(([, { size }]) => size > 0)),
    localized: new Set(inner.flatMap(([key, { options }]) => (options.localized === true ? [key] : []))),
  }
}

/** Matches words, and single letters of scripts without spaces between words. */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]|[\p{L}\p{M}\p{N}]+/gu

function splitWords(value: unknown): ReadonlySet<string> {
  const words = new Set<string>()
  for (const [word] of (typeof value === 'string' ? value : JSON.stringify(value)).matchAll(WORD)) {
    words.add(word)
    if (words.size === MAX_COMPARED_WORDS) break
  }
  return words
}

/** Returns the share of words that two items have in common, from 0 to 1. All members count the same. */
function computeSimilarity(one: Evidence, other: Evidence): number {
  if (one.type !== other.type) return 0
  const keys = new Set([...one.members.keys(), ...other.members.keys()])
  const shares = [...keys].flatMap((key) => {
    const [words, otherWords] = [one.members.get(key), other.members.get(key)]
    if (words && otherWords) return [shareOfWords(words, otherWords)]
    return one.localized.has(key) ? [] : [0]
  })
  return shares.length === 0 ? 0 : shares.reduce((sum, share) => sum + share, 0) / shares.length
}

function shareOfWords(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const shared = [...one].filter((word) => other.has(word)).length
  return (2 * shared) / (one.size + other.size)
}
