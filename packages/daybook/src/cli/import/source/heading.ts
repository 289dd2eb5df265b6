const FENCE = /^ {0,3}(`{3,}|~{3,})/
const HEADING = /^ {0,3}#[ \t]+(.*)$/

/** The plain text of the first `# heading` outside code; `undefined` when there is none. */
export function firstHeading(markdown: string): string | undefined {
  let fence: string | undefined
  for (const line of markdown.split(/\r?\n/)) {
    const mark = FENCE.exec(line)?.[1]
    if (mark && fence === undefined) fence = mark
    else if (mark && fence !== undefined && mark.startsWith(fence)) fence = undefined
    const text = fence === undefined ? HEADING.exec(line)?.[1] : undefined
    const heading = text === undefined ? '' : toPlain(text)
    if (heading !== '') return heading
  }
  return undefined
}

/** Without closing marks, emphasis, code marks and the addresses of links. */
function toPlain(text: string): string {
  const open = text.replace(/[ \t]+#+[ \t]*$/, '').replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
  return open.replace(/[*`]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '').trim()
}
