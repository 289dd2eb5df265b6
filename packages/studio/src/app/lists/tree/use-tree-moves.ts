import { useRef, useState } from 'react'
import { getErrorText } from '../../api/error-texts.ts'
import { useStudio } from '../../api/studio.ts'
import { useTexts } from '../../messages/messages.tsx'
import { getEntryTitle } from '../../model/studio-model.ts'
import { useToast } from '../../ui/overlays/toasts.tsx'
import type { ListView } from '../list-view.ts'
import { ANY_REVISION } from '../order/use-moves.ts'
import type { DropPlace } from '../order/use-row-drag.ts'
import { type EntryTreeRow, findRow, findSiblings, isInside, type TreeRow } from './tree-rows.ts'
import type { Tree } from './use-tree.ts'

/** A new place of an entry: its parent, and its neighbour. Without a neighbour, it comes last. */
export interface TreePlace {
  readonly parent: string | null
  readonly before?: string
  readonly after?: string
}

/** The steps of a move, in the order of their shortcuts. */
export const STEPS = ['up', 'down', 'in', 'out'] as const

type TreeStep = (typeof STEPS)[number]

export interface TreeMoves {
  readonly moveTo: (row: EntryTreeRow, place: TreePlace) => void
  /** Returns the place one step away; `undefined` if there is none. */
  readonly findStep: (row: EntryTreeRow, step: TreeStep) => TreePlace | undefined
  readonly drop: (from: number, place: DropPlace) => void
  /** The last move in words, for screen readers. */
  readonly announcement: string
}

export const canMoveInTree = ({ collection: { permissions } }: ListView): boolean => permissions.update !== false

/** @param onMoved called with the id of a moved entry once the tree shows it in its new place */
export function useTreeMoves(view: ListView, tree: Tree, onMoved: (id: string) => void): TreeMoves {
  const { client } = useStudio()
  const toast = useToast()
  const { t } = useTexts()
  const [announcement, setAnnouncement] = useState('')
  const isMoving = useRef(false)
  const { collection } = view
  const { key, orderable, parentField } = collection
  const rows = tree.rows ?? []
  const move = async ({ id, item }: EntryTreeRow, place: TreePlace): Promise<void> => {
    const { parent, before, after } = place
    const entries = client.collections[key]
    try {
      if (!orderable) await entries?.update(id, { [parentField ?? '']: parent } as never, ANY_REVISION)
      else if (before !== undefined) await entries?.move(id, { parent, before }, ANY_REVISION)
      else await entries?.move(id, after === undefined ? { parent } : { parent, after }, ANY_REVISION)
      if (parent !== null) tree.setOpen(parent, true)
      await tree.reload()
      const parentRow = parent === null ? undefined : findRow(rows, parent)
      const parentTitle = parentRow && (getEntryTitle(collection, parentRow.item) ?? t.lists.untitled)
      setAnnouncement(t.lists.order.movedInTree(getEntryTitle(collection, item) ?? t.lists.untitled, parentTitle))
      onMoved(id)
    } catch (error) {
      toast({ kind: 'failed', text: getErrorText(error, t) })
      await tree.reload()
    }
  }
  const moveTo: TreeMoves['moveTo'] = (row, place) => {
    // A second move would start from places that the first one changes.
    if (isMoving.current) return
    isMoving.current = true
    void move(row, place).finally(() => {
      isMoving.current = false
    })
  }
  return {
    announcement,
    moveTo,
    findStep: (row, step) => findStep(rows, row, step, orderable),
    drop: (from, place) => {
      const row = rows[from]
      const target = rows[place.index]
      if (row?.kind !== 'entry' || target?.kind !== 'entry' || isInside(rows, target, row.id)) return
      moveTo(row, toPlace(rows, target, place.part))
    },
  }
}

function findStep(
  rows: readonly TreeRow[],
  row: EntryTreeRow,
  step: TreeStep,
  orderable: boolean,
): TreePlace | undefined {
  const { parent } = row
  const { previous, next } = findSiblings(rows, row)
  if (step === 'up') return orderable && previous ? { parent, before: previous.id } : undefined
  if (step === 'down') return orderable && next ? { parent, after: next.id } : undefined
  if (step === 'in') return previous ? { parent: previous.id } : undefined
  const above = parent === null ? undefined : findRow(rows, parent)
  return above && { parent: above.parent, after: above.id }
}

/** Returns the place of an entry that is dropped on a row. After an open entry, it becomes its first child. */
function toPlace(rows: readonly TreeRow[], target: EntryTreeRow, part: DropPlace['part']): TreePlace {
  const { id, parent } = target
  if (part === 'on') return { parent: id }
  if (part === 'before') return { parent, before: id }
  if (!target.isOpen) return { parent, after: id }
  const first = rows.find((row) => row.kind === 'entry' && row.parent === id)
  return first ? { parent: id, before: first.id } : { parent: id }
}
