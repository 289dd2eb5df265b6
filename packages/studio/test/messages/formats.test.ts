import { describe, expect, test } from 'vitest'
import { Formats, getUserLocale } from '../../src/app/messages/formats.ts'

describe('dates and numbers', () => {
  test.each([
    ['en', ['en-GB', 'en'], 'en-GB'],
    ['en', ['fr-FR', 'en-IN', 'en-US'], 'en-IN'],
    ['de', ['en-GB', 'de-CH'], 'de-CH'],
    ['de', ['en-GB', 'den-CA'], 'de'],
    ['en', [], 'en'],
    ['en', ['en-US@posix', 'en-GB'], 'en-GB'],
    ['en', ['en-US@posix'], 'en'],
  ])('in %s, if the browser prefers %j, use %s', (language, preferred, locale) => {
    expect(getUserLocale(language, preferred)).toBe(locale)
  })

  test('name the last minute, and count those before', () => {
    const formats = new Formats('en-GB', 'just now')
    const now = Date.parse('2026-10-20T12:00:00.000Z')
    expect(formats.ago('2026-10-20T11:59:30.000Z', now)).toBe('just now')
    expect(formats.ago('2026-10-20T11:59:00.000Z', now)).toBe('1 minute ago')
  })

  test.each([
    ['en-US', 'October 20, 2026 at', 'Oct 20, 2026', '1,234,567.5'],
    ['en-GB', '20 October 2026 at', '20 Oct 2026', '1,234,567.5'],
    ['de-DE', '20. Oktober 2026 um', '20.10.2026', '1.234.567,5'],
    ['de-CH', '20. Oktober 2026 um', '20.10.2026', "1'234'567.5"],
  ])('are formatted in %s', (locale, moment, day, number) => {
    const formats = new Formats(locale, 'just now')
    expect(formats.moment('2026-10-20T12:00:00.000Z')).toContain(moment)
    expect(formats.calendarDay('2026-10-20')).toBe(day)
    expect(formats.number(1_234_567.5)).toBe(number)
  })
})
