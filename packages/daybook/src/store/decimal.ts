/** A decimal number: `units` times 10 to the power of minus `scale`. */
export interface Decimal {
  readonly units: bigint
  /** 0 or more. */
  readonly scale: number
}

/** Parses a number as JavaScript or a database writes it: `12`, `-0.5`, `1.5e+21`. */
export function parseDecimal(text: string): Decimal {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const scale = fraction.length - Number(exponent)
  const units = BigInt(whole + fraction)
  return scale < 0 ? { units: units * 10n ** BigInt(-scale), scale: 0 } : { units, scale }
}

/** Writes a number without an exponent and without trailing zeros. */
export function printDecimal({ units, scale }: Decimal): string {
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0')
  const whole = digits.slice(0, digits.length - scale)
  const fraction = digits.slice(digits.length - scale).replace(/0+$/, '')
  const text = fraction === '' ? whole : `${whole}.${fraction}`
  return units < 0n ? `-${text}` : text
}

/** More digits than are needed to tell any two doubles apart, including the smallest. */
const QUOTIENT_DIGITS = 400

/** Returns the double nearest to a decimal divided by a whole number. */
export function divideDecimal({ units, scale }: Decimal, by: number): number {
  const [dividend, divisor] = [units * 10n ** BigInt(QUOTIENT_DIGITS), BigInt(by)]
  // The extra digit marks a quotient that continues, so that conversion does not round it as a tie.
  const rest = dividend % divisor === 0n ? '0' : '1'
  return Number(`${dividend / divisor}${rest}e-${scale + QUOTIENT_DIGITS + 1}`)
}

/** Decimals of up to six places are added as whole numbers while these are exact. */
const PLACES = 6
const UNIT = 10 ** PLACES
/** A decimal of up to fifteen digits survives the conversion to a double and back. */
const MAX_UNITS = 1e15
/** The pending sum is moved to the total before it could be rounded. */
const MAX_PENDING = 2 ** 52

/** Adds numbers by their decimal notation, without rounding: 0.1 and 0.2 are 0.3. */
export class DecimalSum {
  #total: Decimal = { units: 0n, scale: 0 }
  #pending = 0

  add(value: number): void {
    const units = Math.round(value * UNIT)
    if (Math.abs(units) >= MAX_UNITS || units / UNIT !== value) {
      this.#addToTotal(parseDecimal(String(value)))
      return
    }
    this.#pending += units
    if (Math.abs(this.#pending) > MAX_PENDING) this.#flushPending()
  }

  toString(): string {
    this.#flushPending()
    return printDecimal(this.#total)
  }

  #flushPending(): void {
    this.#addToTotal({ units: BigInt(this.#pending), scale: PLACES })
    this.#pending = 0
  }

  #addToTotal(term: Decimal): void {
    const scale = Math.max(term.scale, this.#total.scale)
    this.#total = { units: rescale(this.#total, scale) + rescale(term, scale), scale }
  }
}

const rescale = ({ units, scale }: Decimal, to: number): bigint => units * 10n ** BigInt(to - scale)
