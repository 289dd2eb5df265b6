/** What a text says as JSON, or where it is wrong. */
export type ReadJson =
  | { readonly isValid: true; readonly value: unknown }
  /** `line` and `column` begin at 1; absent where the browser does not tell. */
  | { readonly isValid: false; readonly line?: number; readonly column?: number }

/** Reads JSON; a text of blanks is nothing. */
export function readJson(text: string): ReadJson {
  if (text.trim() === '') return { isValid: true, value: null }
  try {
    return { isValid: true, value: JSON.parse(text) }
  } catch (error) {
    return { isValid: false, ...placeIn(text, error instanceof Error ? error.message : '') }
  }
}

/** Browsers tell the place in their sentences: by line and column, by position, or not at all. */
function placeIn(text: string, message: string): { readonly line?: number; readonly column?: number } {
  const [, line, column] = /line (\d+) column (\d+)/.exec(message) ?? []
  if (line !== undefined && column !== undefined) return { line: Number(line), column: Number(column) }
  const [, position] = /position (\d+)/.exec(message) ?? []
  if (position !== undefined) return placeAt(text, Number(position))
  return /end of (?:JSON|data)|Unexpected EOF/i.test(message) ? placeAt(text, text.length) : {}
}

function placeAt(text: string, position: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, position).split('\n')
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}
