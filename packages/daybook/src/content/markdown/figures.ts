import type { StateCore, Token } from 'markdown-it'

/** Matches the width at which an image is shown, in pixels, at the end of its address. */
const WIDTH = /#width=([1-9]\d{0,4})$/

/** Gives images their widths, and turns a paragraph of one image with a title into a figure with a caption. */
export function markFigures(state: StateCore): void {
  state.tokens.forEach((token, index) => {
    for (const image of token.children ?? []) if (image.type === 'image') applyWidth(image)
    const [image, ...rest] = token.children ?? []
    const [opening, closing] = [state.tokens[index - 1], state.tokens[index + 1]]
    const isAlone = image?.type === 'image' && rest.length === 0
    if (!isAlone || opening?.type !== 'paragraph_open' || opening.hidden || !closing) return
    const caption = String(image.attrGet('title') ?? '').trim()
    if (caption === '') return
    image.attrs = image.attrs?.filter(([name]) => name !== 'title') ?? null
    Object.assign(opening, { type: 'figure_open', tag: 'figure' })
    Object.assign(closing, { type: 'figure_close', tag: 'figure' })
    token.children?.push(...createCaption(state, caption))
  })
}

function applyWidth(image: Token): void {
  const address = String(image.attrGet('src') ?? '')
  const width = WIDTH.exec(address)?.[1]
  if (width === undefined) return
  image.attrSet('src', address.replace(WIDTH, ''))
  image.attrSet('width', width)
}

function createCaption({ Token: NewToken }: StateCore, caption: string): readonly Token[] {
  const text = new NewToken('text', '', 0)
  text.content = caption
  return [new NewToken('figcaption_open', 'figcaption', 1), text, new NewToken('figcaption_close', 'figcaption', -1)]
}
