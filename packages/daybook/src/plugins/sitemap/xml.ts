/** Characters that no XML 1.0 document may hold, escaped or not: control characters, halves of surrogate pairs. */
const FORBIDDEN = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '\r': '&#13;',
}

export const XML_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'

/** Escapes text for an element or an attribute of an XML 1.0 document. */
export const escapeXml = (text: string): string =>
  text.replace(FORBIDDEN, '').replace(/[&<>"'\r]/g, (character) => ESCAPES[character] ?? '')

/** Writes an element that contains text, or nothing if the text is `undefined`. */
export const textElement = (name: string, text: string | undefined): string =>
  text === undefined ? '' : `<${name}>${escapeXml(text)}</${name}>`
