import type { DocumentEditor } from '../../../src/app/editor/saving/document-editor.ts'
import type { Values } from '../../../src/app/editor/saving/field-values.ts'

/** Paths of the leaves that the tests write. */
export const LEAVES = ['title', 'body', 'minutes', 'seo.title', 'seo.description', 'tags', 'parts'] as const
export type LeafPath = (typeof LEAVES)[number]

const NONE: ReadonlySet<string> = new Set()

const without = (tokens: ReadonlySet<string>, excluded: ReadonlySet<string>): readonly string[] =>
  [...tokens].filter((token) => !excluded.has(token))

/** Numbers from this one on are tokens. */
const FIRST_NUMBER = 1000

/** Returns the tokens in a value. Each token is typed once. */
export function tokensIn(value: unknown): Set<string> {
  const tokens = new Set<string>()
  JSON.stringify(value, (key, inner: unknown) => {
    if (typeof inner === 'string' && !key.endsWith('Html'))
      for (const token of inner.match(/t\d+/g) ?? []) tokens.add(token)
    if (typeof inner === 'number' && inner >= FIRST_NUMBER) tokens.add(`t${inner}`)
    return inner
  })
  return tokens
}

export function valueAt(values: Values, path: LeafPath): unknown {
  const [key = '', inner] = path.split('.')
  const value = values[key]
  return inner === undefined ? value : (value as Values | null)?.[inner]
}

/**
 * Records which tokens must still exist: every token that was typed, unless a user who saw it has replaced it, removed it or rejected it in a
 * decision.
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

  /** Records an action in an editor. A token that disappears was visible, so the user removed it on purpose. */
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

  /** Records a decision. The tokens of the side that was not chosen are given up. */
  bookDecision(editor: DocumentEditor, path: string, act: () => void): void {
    const { mine, theirs } = editor.getState().conflicts.get(path) ?? {}
    this.book(editor, act)
    const chosen = tokensIn(valueAt(editor.getState().values, path as LeafPath))
    for (const token of tokensIn([mine, theirs])) if (!chosen.has(token)) this.#live.delete(token)
  }

  /** Records a change by another program, which saw the stored values. */
  bookStored(before: unknown, after: unknown): void {
    for (const token of without(tokensIn(before), tokensIn(after))) this.#live.delete(token)
    for (const token of without(tokensIn(after), tokensIn(before))) this.#type(token)
  }

  /** Adds a token, unless it was typed before: undo brings old tokens back, and those need not survive. */
  #type(token: string): void {
    if (!this.#typed.has(token)) this.#live.add(token)
    this.#typed.add(token)
  }

  /** Returns the tokens that are neither stored nor shown in a conflict. */
  missing(stored: unknown, editors: readonly DocumentEditor[]): readonly string[] {
    const presentTokens = tokensIn(stored)
    for (const editor of editors) for (const token of shownTokens(editor)) presentTokens.add(token)
    return [...this.#live].filter((token) => !presentTokens.has(token))
  }
}

const seenTokens = (editor: DocumentEditor): ReadonlyMap<LeafPath, ReadonlySet<string>> =>
  new Map(LEAVES.map((path) => [path, tokensIn(valueAt(editor.getState().values, path))]))

function shownTokens(editor: DocumentEditor): ReadonlySet<string> {
  const { conflicts, aside } = editor.getState()
  return tokensIn([[...conflicts.values()].map(({ mine, theirs }) => [mine, theirs]), aside])
}
