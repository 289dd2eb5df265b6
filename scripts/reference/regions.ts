/** A generated part of a page. */
export interface Region {
  /** The kind of its content, such as `options`. */
  readonly kind: string
  /** The words after the kind, which name the code to describe. */
  readonly words: readonly string[]
}

const REGION = /^(<!-- generated: (.+?) -->\n)[\s\S]*?^(<!-- \/generated -->)$/gm

/** Replaces each region of a page with the text that `generate` returns. */
export function fillRegions(text: string, generate: (region: Region) => string): string {
  return text.replace(REGION, (_whole, start: string, what: string, end: string) => {
    const [kind = '', ...words] = what.split(' ')
    return `${start}\n${generate({ kind, words })}\n\n${end}`
  })
}
