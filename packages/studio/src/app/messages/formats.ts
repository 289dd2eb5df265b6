const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** How times and numbers are written in one place. */
export class Formats {
  readonly #relative: Intl.RelativeTimeFormat
  readonly #day: Intl.DateTimeFormat
  readonly #moment: Intl.DateTimeFormat
  readonly #time: Intl.DateTimeFormat
  readonly #calendarDay: Intl.DateTimeFormat
  readonly #number: Intl.NumberFormat

  constructor(locale: string) {
    this.#relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
    this.#day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' })
    this.#moment = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short' })
    this.#time = new Intl.DateTimeFormat(locale, { timeStyle: 'short' })
    this.#calendarDay = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' })
    this.#number = new Intl.NumberFormat(locale, { maximumFractionDigits: 20 })
  }

  /**
   * How long ago something was, or its day when that was more than a week ago.
   *
   * @param timestamp ISO 8601
   */
  ago(timestamp: string, now: number = Date.now()): string {
    const past = Math.max(0, now - Date.parse(timestamp))
    if (past < HOUR) return this.#relative.format(-Math.floor(past / MINUTE), 'minute')
    if (past < DAY) return this.#relative.format(-Math.floor(past / HOUR), 'hour')
    if (past < 7 * DAY) return this.#relative.format(-Math.floor(past / DAY), 'day')
    return this.#day.format(Date.parse(timestamp))
  }

  /** A moment in the reader's time zone. @param timestamp ISO 8601 */
  moment(timestamp: string): string {
    return this.#moment.format(Date.parse(timestamp))
  }

  /** A time of day in the reader's time zone. @param timestamp ISO 8601 */
  time(timestamp: string): string {
    return this.#time.format(Date.parse(timestamp))
  }

  /** A day of the calendar, which is the same in every time zone. @param date such as `2026-10-20` */
  calendarDay(date: string): string {
    return this.#calendarDay.format(Date.parse(date))
  }

  /** A number, with all of its digits. */
  number(value: number): string {
    return this.#number.format(value)
  }
}

/**
 * How the reader writes dates and numbers in a language of the Studio: in the manner of their country, as far as the browser says it.
 *
 * @param language a language of the Studio, such as `en`
 * @param preferred what the browser prefers, the first one most
 * @returns a locale, such as `en-GB`; the language itself where the browser prefers none of it
 */
export const getUserLocale = (language: string, preferred: readonly string[] = navigator.languages): string =>
  preferred.find((locale) => locale.split('-')[0] === language && isLocale(locale)) ?? language

/** Some browsers name locales as their system does, such as `en-US@posix`, which `Intl` refuses. */
function isLocale(name: string): boolean {
  try {
    return Intl.getCanonicalLocales(name).length > 0
  } catch {
    return false
  }
}

/** Writes counts in the texts of a language. */
export function makeCountFormatter(language: string): (count: number) => string {
  const locale = getUserLocale(language)
  return (count) => count.toLocaleString(locale)
}
