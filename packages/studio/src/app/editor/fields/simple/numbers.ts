/** How numbers are written in one place. */
interface NumberSigns {
  readonly decimal: string
  readonly group: string
}

function signsOf(locale: string): NumberSigns {
  const parts = new Intl.NumberFormat(locale).formatToParts(12_345.6)
  const sign = (type: string): string => parts.find((part) => part.type === type)?.value ?? ''
  return { decimal: sign('decimal') || '.', group: sign('group') || ',' }
}

/** A number as the reader writes it, without groups, so that it can be edited. */
export const writeNumber = (value: number, locale: string): string =>
  String(value).replace('.', value.toString().includes('e') ? '.' : signsOf(locale).decimal)

/**
 * Reads a number that a person typed, in either way of writing fractions; where a sign could be both, the locale decides.
 *
 * @returns `undefined`: it is none
 */
export function readNumber(text: string, locale: string): number | undefined {
  const bare = text.replace(/[\s\u00a0\u202f'’]/g, '').replace('−', '-')
  const number = Number(withPoint(bare, signsOf(locale)))
  return bare !== '' && /^[-+\d.,e]+$/i.test(bare) && Number.isFinite(number) ? number : undefined
}

/** A number whose fraction is behind a point. */
function withPoint(text: string, { decimal, group }: NumberSigns): string {
  const [last] = /[.,](?=[^.,]*$)/.exec(text) ?? []
  if (last === undefined) return text
  const other = last === '.' ? ',' : '.'
  if (text.includes(other)) return text.replaceAll(other, '').replace(last, '.')
  const isGroups = last !== decimal && last === group && /^[-+]?\d{1,3}(?:[.,]\d{3})+$/.test(text)
  return isGroups ? text.replaceAll(last, '') : text.replace(last, '.')
}
