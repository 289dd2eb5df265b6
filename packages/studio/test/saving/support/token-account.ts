import type { DocumentEditor } from '../../../src/app/editor/saving/document-editor.ts'
import type { Values } from '../../../src/app/editor/saving/field-values.ts'

/** The leaves that the test writes. */
export const LEAVES = ['title', 'body', 'minutes', 'seo.title', 'seo.description', 'tags', 'parts'] as const
export type LeafPath = (typeof LEAVES)[number]

const NONE: ReadonlySet<string> = new Set()

const without = (tokens: ReadonlySet<string>, others: ReadonlySet<string>): readonly string[] =>
  [...tokens].filter((token) => !others.has(token))

/** Numbers from here on are tokens. */
const FIRST_NUMBER = 1000

/** The tokens in a value: each was typed once. */
export function tokensIn(value: unknown): Set<string> {
  const found = new Set<string>()
  JSON.stringify(value, (key, inner: unknown) => {
    if (typeof inner === 'string' && !key.endsWith('Html'))
      for (const token of inner.match(/t\d+/g) ?? []) found.add(token)
    if (typeof inner === 'number' && inner >= FIRST_NUMBER) found.add(`t${inner}`)
    return inner
  })
  return found
}

export function valueAt(values: Values, path: LeafPath): unknown {
  const [key = '', inner] = path.split('.')
  const value = values[key]
  return inner === undefined ? value : (value as Values | null)?.[inner]
}

/**
 * Tells which tokens must be somewhere: those that somebody typed, and that nobody has replaced or removed who saw them, nor decided
 * against.
 */
export class TokenAccount {
  readonly #live = new Set<string>()
  readonly #typed = new Set<string>()
  #count = FIRST_NUMBER

  newToken(): string {
    this.#count += 1
    return `t${this.#count}`
  }

  newNumber(): number {
    this.#count += 1
    return this.#count
  }

  /** Books what a person does in an editor: what disappears before their eyes was theirs to remove. */
  book(editor: DocumentEditor, act: () => void): void {
    const before = seenTokens(editor)
    act()
    const after = seenTokens(editor)
    for (const path of LEAVES) {
      const [former = NONE, next = NONE] = [before.get(path), after.get(path)]
      for (const token of without(former, next)) this.#live.delete(token)
      for (const token of without(next, former)) this.#type(token)
    }
  }

  /** Books a decision: what was shown beside what was chosen is given up. */
  bookDecision(editor: DocumentEditor, path: string, act: () => void): void {
    const { mine, theirs } = editor.getState().conflicts.get(path) ?? {}
    this.book(editor, act)
    const chosen = tokensIn(valueAt(editor.getState().values, path as LeafPath))
    for (const token of tokensIn([mine, theirs])) if (!chosen.has(token)) this.#live.delete(token)
  }

  /** Books a change by another program, which saw what was stored. */
  bookStored(before: unknown, after: unknown): void {
    for (const token of without(tokensIn(before), tokensIn(after))) this.#live.delete(token)
    for (const token of without(tokensIn(after), tokensIn(before))) this.#type(token)
  }

  /** Undo brings tokens back that were typed before: where that takes an edit back that nobody has seen, what others stored stands. */
  #type(token: string): void {
    if (!this.#typed.has(token)) this.#live.add(token)
    this.#typed.add(token)
  }

  /** The tokens that are neither stored nor shown to a person to decide about. */
  missing(stored: unknown, editors: readonly DocumentEditor[]): readonly string[] {
    const there = tokensIn(stored)
    for (const editor of editors) for (const token of shownTokens(editor)) there.add(token)
    return [...this.#live].filter((token) => !there.has(token))
  }
}

const seenTokens = (editor: DocumentEditor): ReadonlyMap<LeafPath, ReadonlySet<string>> =>
  new Map(LEAVES.map((path) => [path, tokensIn(valueAt(editor.getState().values, path))]))

/** What an editor shows to be decided. */
function shownTokens(editor: DocumentEditor): ReadonlySet<string> {
  const { conflicts, aside } = editor.getState()
  return tokensIn([[...conflicts.values()].map(({ mine, theirs }) => [mine, theirs]), aside])
}
