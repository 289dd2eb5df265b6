/** One part of a page that is made from the code. */
export interface Region {
  /** What it holds, such as `options`. */
  readonly kind: string
  /** What follows the kind: the place in the code that it is made from. */
  readonly words: readonly string[]
}

const REGION = /^(<!-- generated: (.+?) -->\n)[\s\S]*?^(<!-- \/generated -->)$/gm

/** A page with each of its regions as `generate` makes it. */
export function fillRegions(text: string, generate: (region: Region) => string): string {
  return text.replace(REGION, (_whole, start: string, what: string, end: string) => {
    const [kind = '', ...words] = what.split(' ')
    return `${start}\n${generate({ kind, words })}\n\n${end}`
  })
}
