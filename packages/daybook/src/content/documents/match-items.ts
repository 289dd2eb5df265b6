import { type Field, type Fields, isRecord } from '../../fields/field.ts'

/** An object of fields: a group, or a block. */
export type Item = Readonly<Record<string, unknown>>

/** Returns the field of the items of a list. Blocks are values of the field itself. */
export const getItemField = (field: Field): Field => field.type.item?.(field.options) ?? field

export function getObjectFields({ type, options }: Field, value: Item): Fields {
  return type.inner?.(options).find(({ block }) => block === undefined || block === value._type)?.fields ?? {}
}

export interface WrittenItem {
  readonly item: unknown
  /** The index of the matching stored item; `null` for a new item; `undefined` if it has to be found. */
  readonly place?: number | null
}

export interface StoredItem {
  readonly localeValues: readonly unknown[]
}

/** The maximum number of pairs of items that are compared by their words. */
const MAX_COMPARED_PAIRS = 2500
/** The maximum number of compared words of a text. */
const MAX_COMPARED_WORDS = 300
/** The similarity above which two items match. One equal member of two is not enough. */
const MIN_SIMILARITY = 0.5

/**
 * Finds the stored item that corresponds to each written one: an equal item, otherwise the most similar one, otherwise the one at the
 * same index if only localized values differ and no item has moved. An item unlike all stored ones of its type is new.
 *
 * @returns the indexes of the stored items; `undefined` for new items
 */
export function matchItems(
  field: Field,
  written: readonly WrittenItem[],
  stored: readonly StoredItem[],
): readonly (number | undefined)[] {
  const matcher = new ItemMatcher(getItemField(field), written, stored)
  matcher.matchEqual()
  matcher.matchSimilar()
  matcher.matchUnmoved()
  return matcher.places
}

class ItemMatcher {
  readonly places: (number | undefined)[]
  readonly #field: Field
  readonly #written: readonly WrittenItem[]
  readonly #stored: readonly StoredItem[]
  readonly #unmatched: Set<number>
  readonly #unmatchedStored: Set<number>

  constructor(field: Field, written: readonly WrittenItem[], stored: readonly StoredItem[]) {
    this.#field = field
    this.#written = written
    this.#stored = stored
    this.places = written.map(({ place }) => place ?? undefined)
    this.#unmatched = new Set(written.flatMap(({ place }, index) => (place === undefined ? [index] : [])))
    this.#unmatchedStored = new Set(stored.keys())
    for (const place of this.places) if (place !== undefined) this.#unmatchedStored.delete(place)
  }

  /** Matches equal items: first those at the same index, then those that moved. */
  matchEqual(): void {
    if (!this.#isUnfinished()) return
    const texts = new Map(
      [...this.#unmatched].map((index) => [index, toComparableText(this.#field, this.#item(index))]),
    )
    const storedTexts = new Map(
      [...this.#unmatchedStored].map((place) => [
        place,
        this.#localeValues(place).map((value) => toComparableText(this.#field, value)),
      ]),
    )
    for (const index of [...this.#unmatched]) {
      if (storedTexts.get(index)?.includes(texts.get(index) ?? '')) this.#match(index, index)
    }
    const places = Map.groupBy(
      [...this.#unmatchedStored].flatMap((place) =>
        [...new Set(storedTexts.get(place))].map((text) => ({ text, place })),
      ),
      ({ text }) => text,
    )
    for (const index of [...this.#unmatched]) {
      const equal = places.get(texts.get(index) ?? '')?.find(({ place }) => this.#unmatchedStored.has(place))
      if (equal) this.#match(index, equal.place)
    }
  }

  /** Matches similar items, the most similar ones first. */
  matchSimilar(): void {
    if (!this.#isUnfinished() || this.#unmatched.size * this.#unmatchedStored.size > MAX_COMPARED_PAIRS) return
    const written = [...this.#unmatched].map(
      (index) => [index, collectEvidence(this.#field, this.#item(index))] as const,
    )
    const stored = [...this.#unmatchedStored].map(
      (place) => [place, this.#localeValues(place).map((value) => collectEvidence(this.#field, value))] as const,
    )
    const pairs = written.flatMap(([index, evidence]) =>
      stored.map(([place, localeValues]) => ({
        index,
        place,
        score: Math.max(0, ...localeValues.map((candidate) => computeSimilarity(evidence, candidate))),
      })),
    )
    const similar = pairs.filter(({ score }) => score > MIN_SIMILARITY).sort((a, b) => b.score - a.score)
    for (const pair of similar) if (this.#isUnambiguous(pair, similar)) this.#match(pair.index, pair.place)
  }

  /** Returns true if no other pair is as good, since a translation in the wrong item is worse than none. */
  #isUnambiguous(pair: Pair, pairs: readonly Pair[]): boolean {
    const isOpen = ({ index, place }: Pair): boolean => this.#unmatched.has(index) && this.#unmatchedStored.has(place)
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
    for (const index of [...this.#unmatched]) {
      const text = toSharedText(this.#field, this.#item(index))
      const isSame =
        this.#unmatchedStored.has(index) &&
        this.#localeValues(index).some((value) => toSharedText(this.#field, value) === text)
      if (isSame) this.#match(index, index)
    }
  }

  #isUnfinished(): boolean {
    return this.#unmatched.size > 0 && this.#unmatchedStored.size > 0
  }

  #item(index: number): unknown {
    return this.#written[index]?.item
  }

  #localeValues(place: number): readonly unknown[] {
    return this.#stored[place]?.localeValues ?? []
  }

  #match(index: number, place: number): void {
    this.places[index] = place
    this.#unmatched.delete(index)
    this.#unmatchedStored.delete(place)
  }
}

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
    const picked = includes(inner) ? pickIncluded(inner, value[key], includes) : null
    return picked === null || picked === '' || (Array.isArray(picked) && picked.length === 0) ? [] : [[key, picked]]
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
  const picked = pickIncluded(field, item, identifiesItem)
  const { _type: type, ...members } = isRecord(picked) ? picked : { _type: undefined, value: picked }
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
function computeSimilarity(a: Evidence, b: Evidence): number {
  if (a.type !== b.type) return 0
  const keys = new Set([...a.members.keys(), ...b.members.keys()])
  const shares = [...keys].flatMap((key) => {
    const [wordsOfA, wordsOfB] = [a.members.get(key), b.members.get(key)]
    if (wordsOfA && wordsOfB) return [shareOfWords(wordsOfA, wordsOfB)]
    return a.localized.has(key) ? [] : [0]
  })
  return shares.length === 0 ? 0 : shares.reduce((sum, share) => sum + share, 0) / shares.length
}

function shareOfWords(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const shared = [...a].filter((word) => b.has(word)).length
  return (2 * shared) / (a.size + b.size)
}
