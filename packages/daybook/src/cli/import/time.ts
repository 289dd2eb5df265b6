const TIME = /^(\d{4}-\d{2}-\d{2})(?:(?:T|[ \t]+)(\d{2}:\d{2})(:\d{2}(?:\.\d+)?)?[ \t]*(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i

/** A point in time as a front matter writes it. */
export interface WrittenTime {
  /** The day as written, whatever the offset: `2026-11-20`. */
  readonly day: string
  /** ISO 8601 in UTC with milliseconds; without an offset, the time is taken as UTC. */
  readonly moment: string
}

/** Reads a day, or a day and time as in ISO 8601 or as YAML writes it; `undefined` when it is neither. */
export function readTime(text: string): WrittenTime | undefined {
  const [, day, minutes = '00:00', seconds = ':00', offset = 'Z'] = TIME.exec(text.trim()) ?? []
  if (day === undefined || !isCalendarDay(day)) return undefined
  const time = Date.parse(`${day}T${minutes}${seconds}${toOffset(offset)}`)
  return Number.isNaN(time) ? undefined : { day, moment: new Date(time).toISOString() }
}

/** JavaScript takes the 30th of February for the 1st of March. */
function isCalendarDay(day: string): boolean {
  const time = Date.parse(`${day}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day)
}

function toOffset(offset: string): string {
  if (/^z$/i.test(offset)) return 'Z'
  const digits = offset.replace(':', '')
  return `${digits.slice(0, 3)}:${digits.slice(3) || '00'}`
}
