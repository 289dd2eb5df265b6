/** Counts the words of a Markdown text, without addresses, tags and the marks of its syntax. */
export function countWords(text: string): number {
  const visible = text.replace(/\]\([^)\n]*\)/g, ' ').replace(/<[^>\n]*>/g, ' ')
  return visible.match(WORDS)?.length ?? 0
}

/** In Chinese and Japanese, each character counts, since words are not separated. */
const WORDS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{N}\p{M}]+(?:['’.,-][\p{L}\p{N}\p{M}]+)*/gu
