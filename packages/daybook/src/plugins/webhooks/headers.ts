/** A token (RFC 9110, section 5.6.2). */
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,128}$/
/** Visible characters, spaces and tabs: no line end, which would begin a header of its own. */
const VALUE = /^[\t\x20-\x7e]{0,4096}$/
/** Headers that say how a message is sent, or are made by Daybook. */
const OWN = /^(?:host|content-.*|transfer-encoding|connection|keep-alive|te|trailer|upgrade|expect|cookie|webhook-.*)$/i

/** Why a message cannot have a header; `undefined`: it can. */
export function headerFault(name: string, value: unknown): string | undefined {
  if (!NAME.test(name)) return 'write the name of a header, of letters, digits and -'
  if (OWN.test(name)) return 'Daybook sends this header itself, or none; take it out'
  if (typeof value === 'string' && VALUE.test(value)) return undefined
  return 'write a value of visible ASCII characters on one line'
}
