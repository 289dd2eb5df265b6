import type { StateCore, Token } from 'markdown-it'

/** GitHub's kinds of callouts. */
export const CALLOUT_KINDS: readonly string[] = ['note', 'tip', 'important', 'warning', 'caution']
export const CALLOUT_CLASSES: readonly string[] = ['callout', ...CALLOUT_KINDS.map((kind) => `callout-${kind}`)]

/** Matches the marker on the first line of a paragraph. */
const MARKER = new RegExp(`^\\[!(${CALLOUT_KINDS.join('|')})\\][ \\t]*(?:\\n\\s*|$)`, 'i')

/**
 * Turns quotes that begin with a line such as `[!NOTE]` into callouts, and removes that line. As on GitHub, a callout is not nested
 * in another quote or list, and is not empty. Runs before the text of paragraphs is parsed.
 */
export function markCallouts(state: StateCore): void {
  const emptyParagraphTokens = new Set<Token>()
  state.tokens.forEach((quote, index) => {
    const text = state.tokens[index + 2]
    const marker = readMarker(state.tokens, index)
    if (!text || !marker) return
    quote.attrSet('class', `callout callout-${marker.kind}`)
    quote.attrSet('data-callout', marker.kind)
    text.content = text.content.slice(marker.length)
    if (text.content === '')
      for (const token of state.tokens.slice(index + 1, index + 4)) emptyParagraphTokens.add(token)
  })
  if (emptyParagraphTokens.size > 0) state.tokens = state.tokens.filter((token) => !emptyParagraphTokens.has(token))
}

/** Reads the marker of the quote that a token opens; `undefined` for other tokens and ordinary quotes. */
function readMarker(
  tokens: readonly Token[],
  index: number,
): { readonly kind: string; readonly length: number } | undefined {
  const quote = tokens[index]
  if (quote?.type !== 'blockquote_open' || quote.level > 0 || tokens[index + 1]?.type !== 'paragraph_open') return
  const content = tokens[index + 2]?.content ?? ''
  const [marker, kind] = MARKER.exec(content) ?? []
  if (marker === undefined || kind === undefined) return
  const isAlone = marker === content && tokens[index + 4]?.type === 'blockquote_close'
  return isAlone ? undefined : { kind: kind.toLowerCase(), length: marker.length }
}
