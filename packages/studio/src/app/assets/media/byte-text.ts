const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const

/** A size as the reader writes it: `1.4 MB`. */
export function byteText(bytes: number, locale: string): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  const unit = UNITS[power] ?? 'byte'
  const value = bytes / 1000 ** power
  const digits = power === 0 || value >= 100 ? 0 : 1
  return new Intl.NumberFormat(locale, {
    style: 'unit',
    unit,
    unitDisplay: unit === 'byte' ? 'long' : 'short',
    maximumFractionDigits: digits,
  }).format(value)
}
