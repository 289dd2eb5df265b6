import { useMemo, useState } from 'react'
import type { ListField } from '../list-fields.ts'
import type { ListView } from '../list-view.ts'

/** The key of the width of the title. No field has an empty path. */
export const TITLE_COLUMN = ''

export const MIN_WIDTH = 64
export const MAX_WIDTH = 960

/** The widths of columns that the user has chosen, in pixels, by path. */
export interface ColumnWidths {
  readonly get: (path: string) => number | undefined
  /** @param width `undefined` restores the default */
  readonly set: (path: string, width: number | undefined) => void
}

/** Stores the widths of the columns of a collection in this browser. */
export function useColumnWidths({ subject, collection }: Pick<ListView, 'subject' | 'collection'>): ColumnWidths {
  const storageKey = `daybook-studio:${subject}:widths:${collection.key}`
  const [widths, setWidths] = useState(() => readWidths(localStorage.getItem(storageKey)))
  return useMemo(
    () => ({
      get: (path) => widths[path],
      set: (path, width) => {
        const { [path]: _, ...otherWidths } = widths
        const next = width === undefined ? otherWidths : { ...otherWidths, [path]: clampWidth(width) }
        if (Object.keys(next).length === 0) localStorage.removeItem(storageKey)
        else localStorage.setItem(storageKey, JSON.stringify(next))
        setWidths(next)
      },
    }),
    [widths, storageKey],
  )
}

const clampWidth = (width: number): number => Math.round(Math.min(Math.max(width, MIN_WIDTH), MAX_WIDTH))

/** Reads stored widths, without invalid ones. */
function readWidths(text: string | null): Readonly<Record<string, number>> {
  try {
    const stored: unknown = JSON.parse(text ?? '{}')
    const entries = Object.entries(stored as object).filter(([, width]) => Number.isFinite(width))
    return Object.fromEntries(entries.map(([path, width]) => [path, clampWidth(Number(width))]))
  } catch {
    return {}
  }
}

/** Types with short values, which need only narrow columns. */
const NARROW: ReadonlySet<string> = new Set(['number', 'integer', 'boolean'])

const TITLE_TRACK = { track: 'minmax(14rem, 3fr)', min: '14rem' }
const NARROW_TRACK = { track: 'minmax(5rem, 0.4fr)', min: '5rem' }
const USUAL_TRACK = { track: 'minmax(6.5rem, 1fr)', min: '6.5rem' }

/** The layout of the columns, as values of CSS. */
export interface ColumnLayout {
  /** The tracks of the title and of the columns after it. */
  readonly tracks: string
  /** The sum of their minimum widths, without gaps. */
  readonly min: string
}

export function layOutColumns(columns: readonly ListField[], widths: ColumnWidths): ColumnLayout {
  const parts = [
    layOutColumn(widths.get(TITLE_COLUMN), TITLE_TRACK),
    ...columns.map(({ path, type, many }) =>
      layOutColumn(widths.get(path), NARROW.has(type) && !many ? NARROW_TRACK : USUAL_TRACK),
    ),
  ]
  return { tracks: parts.map(({ track }) => track).join(' '), min: parts.map(({ min }) => min).join(' + ') }
}

const layOutColumn = (width: number | undefined, usual: typeof TITLE_TRACK): typeof TITLE_TRACK =>
  width === undefined ? usual : { track: `${width}px`, min: `${width}px` }
