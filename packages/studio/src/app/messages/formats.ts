const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Formats times and numbers in a locale. */
export class Formats {
  readonly #relative: Intl.RelativeTimeFormat
  readonly #day: Intl.DateTimeFormat
  readonly #moment: Intl.DateTimeFormat
  readonly #zonedMoment: Intl.DateTimeFormat
  readonly #time: Intl.DateTimeFormat
  readonly #calendarDay: Intl.DateTimeFormat
  readonly #number: Intl.NumberFormat

  readonly #justNow: string

  /** @param justNow the text for less than a minute ago */
  constructor(locale: string, justNow: string) {
    this.#justNow = justNow
    this.#relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
    this.#day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' })
    this.#moment = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short' })
    this.#zonedMoment = new Intl.DateTimeFormat(locale, {
      day: 'numeric',
      month: 'short',
      year: 'numeric',
      hour: 'numeric',
      minute: '2-digit',
      timeZoneName: 'short',
    })
    this.#time = new Intl.DateTimeFormat(locale, { timeStyle: 'short' })
    this.#calendarDay = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' })
    this.#number = new Intl.NumberFormat(locale, { maximumFractionDigits: 20 })
  }

  /**
   * Formats a time relative to now, or as a date if it is more than a week ago.
   *
   * @param timestamp ISO 8601
   */
  ago(timestamp: string, now: number = Date.now()): string {
    const past = Math.max(0, now - Date.parse(timestamp))
    if (past < MINUTE) return this.#justNow
    if (past < HOUR) return this.#relative.format(-Math.floor(past / MINUTE), 'minute')
    if (past < DAY) return this.#relative.format(-Math.floor(past / HOUR), 'hour')
    if (past < 7 * DAY) return this.#relative.format(-Math.floor(past / DAY), 'day')
    return this.#day.format(Date.parse(timestamp))
  }

  /** Formats a date and time in the user's time zone. @param timestamp ISO 8601 */
  moment(timestamp: string): string {
    return this.#moment.format(Date.parse(timestamp))
  }

  /** Formats a date and time with the name of the user's time zone, such as of a schedule. @param timestamp ISO 8601 */
  zonedMoment(timestamp: string): string {
    return this.#zonedMoment.format(Date.parse(timestamp))
  }

  /** Formats a time of day in the user's time zone. @param timestamp ISO 8601 */
  time(timestamp: string): string {
    return this.#time.format(Date.parse(timestamp))
  }

  /** Formats a calendar date, which is the same in every time zone. @param date such as `2026-10-20` */
  calendarDay(date: string): string {
    return this.#calendarDay.format(Date.parse(date))
  }

  /** Formats a number with all of its digits. */
  number(value: number): string {
    return this.#number.format(value)
  }
}

/**
 * Returns the user's locale for a language of the Studio, so that dates and numbers follow their country.
 *
 * @param language a language of the Studio, such as `en`
 * @param preferred the browser's locales, the most preferred one first
 * @returns a locale such as `en-GB`, or the language itself if the browser prefers no locale of it
 */
export const getUserLocale = (language: string, preferred: readonly string[] = navigator.languages): string =>
  preferred.find((locale) => locale.split('-')[0] === language && isLocale(locale)) ?? language

/** Some browsers report locales of the system, such as `en-US@posix`, which `Intl` rejects. */
function isLocale(name: string): boolean {
  try {
    return Intl.getCanonicalLocales(name).length > 0
  } catch {
    return false
  }
}

/** Makes a function that formats counts in a language. */
export function makeCountFormatter(language: string): (count: number) => string {
  const locale = getUserLocale(language)
  return (count) => count.toLocaleString(locale)
}
