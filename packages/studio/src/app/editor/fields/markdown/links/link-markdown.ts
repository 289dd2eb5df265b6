/** Matches the width of an image, in pixels, which the service turns into an attribute. */
const WIDTH = /#width=([1-9]\d{0,4})$/

/** Splits the address of an image into the file and the width at which it is shown. */
export function splitWidth(address: string): { readonly url: string; readonly width: number | undefined } {
  const width = WIDTH.exec(address)?.[1]
  return { url: address.replace(WIDTH, ''), width: width === undefined ? undefined : Number(width) }
}

export const joinWidth = (url: string, width: number | undefined): string =>
  width === undefined ? url : `${url.replace(/#.*$/, '')}#width=${width}`

interface LinkParts {
  /** The text in Markdown; for an image, a plain text. */
  readonly text: string
  readonly url: string
  readonly title: string
}

export const toLinkMarkdown = ({ text, url, title }: LinkParts): string =>
  text === '' && title === '' && /^https?:/.test(url)
    ? `<${escapeAddress(url)}>`
    : `[${text.replaceAll('\n', ' ')}](${escapeAddress(url)}${formatTitle(title)})`

export const toImageMarkdown = ({ text, url, title }: LinkParts): string =>
  `![${text.replace(/\s+/g, ' ').replace(/[[\]\\]/g, '\\$&')}](${escapeAddress(url)}${formatTitle(title)})`

/** Removes the escapes of a text between brackets or quotes. */
export const unescapeMarkdown = (text: string): string => text.replace(/\\([!-/:-@[-`{-~])/g, '$1')

const formatTitle = (title: string): string =>
  title.trim() === '' ? '' : ` "${title.trim().replace(/\s+/g, ' ').replace(/["\\]/g, '\\$&')}"`

const escapeAddress = (url: string): string =>
  url.trim().replace(/[\s()<>]/g, (sign) => `%${sign.charCodeAt(0).toString(16).padStart(2, '0')}`)

/** Returns the address that a typed text means; `undefined` if it is only words. */
export function readAddress(typed: string): string | undefined {
  const text = typed.trim()
  if (/^(?:https?:\/\/|mailto:|daybook:|[/#])\S+$/i.test(text)) return text
  if (/^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$/.test(text)) return `mailto:${text}`
  if (/^(?:[\w-]+\.)+[a-z]{2,}(?:[/?#]\S*)?$/i.test(text)) return `https://${text}`
  return undefined
}
