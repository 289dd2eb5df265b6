/** The filters of the audit page, in its address. */
export interface AuditSearch {
  /** The subject of the actor. */
  readonly actor?: string | undefined
  /** The key of a collection, or `globals`. */
  readonly collection?: string | undefined
  readonly action?: string | undefined
  /** The first day, such as `2026-10-20`. */
  readonly from?: string | undefined
  /** The last day. */
  readonly until?: string | undefined
}

const KEYS = ['actor', 'collection', 'action', 'from', 'until'] as const

/** Reads the filters from an address, without invalid ones. */
export const readAuditSearch = (search: Readonly<Record<string, unknown>>): AuditSearch =>
  Object.fromEntries(
    KEYS.flatMap((key) => {
      const value = search[key]
      const isDay = key === 'from' || key === 'until'
      const isValid = typeof value === 'string' && value !== '' && (!isDay || /^\d{4}-\d\d-\d\d$/.test(value))
      return isValid ? [[key, value]] : []
    }),
  )

/** Returns the times of the filters: the whole days in the time zone of the browser. */
export function getTimes({ from, until }: AuditSearch): { readonly from?: string; readonly until?: string } {
  const first = from === undefined ? undefined : new Date(`${from}T00:00`)
  const last = until === undefined ? undefined : new Date(`${until}T00:00`)
  last?.setDate(last.getDate() + 1)
  return {
    ...(isTime(first) ? { from: first.toISOString() } : {}),
    ...(isTime(last) ? { until: last.toISOString() } : {}),
  }
}

const isTime = (date: Date | undefined): date is Date => date !== undefined && !Number.isNaN(date.getTime())
