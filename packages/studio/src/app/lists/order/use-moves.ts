import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { getErrorText } from '../../api/error-texts.ts'
import { useStudio } from '../../api/studio.ts'
import { useTexts } from '../../messages/messages.tsx'
import { getEntryTitle } from '../../model/studio-model.ts'
import { useToast } from '../../ui/overlays/toasts.tsx'
import type { ListView } from '../list-view.ts'
import type { LoadedRows } from '../rows/use-rows.ts'
import { findRank, resolveSort } from '../rows-query.ts'
import { reorderPages } from './reorder-pages.ts'

/** The moves of rows in a list in the order by hand. */
export interface Moves {
  /** Moves a row, so that it is at another index. */
  readonly move: (from: number, to: number) => void
  /** Moves a row to an end of the order. */
  readonly moveToEnd: (from: number, position: 'first' | 'last') => void
  /** The last move in words, for screen readers. */
  readonly announcement: string
}

/** A move depends on no content, so it applies to any revision, also if updates must name theirs. */
export const ANY_REVISION = { ifMatch: '*' } as const

/** Returns true if a list shows the order by hand and the user may change it. */
export const canMoveRows = ({ collection, search, fields }: ListView): boolean =>
  collection.orderable && collection.permissions.update !== false && resolveSort(search, fields) === findRank(fields)

export function useMoves(view: ListView, rows: LoadedRows, count: number): Moves {
  const { client } = useStudio()
  const queries = useQueryClient()
  const toast = useToast()
  const { t } = useTexts()
  const [announcement, setAnnouncement] = useState('')
  const { collection, reload } = view
  const send = async (id: string, position: object): Promise<void> => {
    try {
      await client.collections[collection.key]?.move(id, position, ANY_REVISION)
    } catch (error) {
      toast({ kind: 'failed', text: getErrorText(error, t) })
      reload()
    }
  }
  const announce = (index: number, to: number): void => {
    const item = rows.rowAt(index)?.item
    const title = (item && getEntryTitle(collection, item)) ?? t.lists.untitled
    setAnnouncement(t.lists.order.moved(title, to + 1))
  }
  return {
    announcement,
    move: (from, to) => {
      const [id, neighbour] = [rows.idAt(from), rows.idAt(to)]
      if (id === undefined || neighbour === undefined || from === to || to < 0 || to >= count) return
      announce(from, to)
      const isMoved = reorderPages(queries, rows.pagesKey, rows.reader.size, from, to)
      const sent = send(id, to < from ? { before: neighbour } : { after: neighbour })
      if (!isMoved) void sent.then(reload)
    },
    moveToEnd: (from, position) => {
      const id = rows.idAt(from)
      if (id === undefined) return
      announce(from, position === 'first' ? 0 : count - 1)
      void send(id, { position }).then(reload)
    },
  }
}
