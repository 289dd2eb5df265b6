/** One replacement within a text. */
export interface TextChange {
  readonly from: number
  readonly to: number
  readonly insert: string
}

/** The smallest replacement that makes one text of another; `undefined`: they are the same. */
export function changeBetween(before: string, after: string): TextChange | undefined {
  if (before === after) return undefined
  const most = Math.min(before.length, after.length)
  let start = 0
  while (start < most && before[start] === after[start]) start += 1
  let end = 0
  while (end < most - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1
  return { from: start, to: before.length - end, insert: after.slice(start, after.length - end) }
}
