export interface Selection {
  /** True if all matching entries are selected, loaded or not. */
  readonly isAll: boolean
  readonly ids: ReadonlySet<string>
  /** The row that was pressed last, from which a range starts. */
  readonly anchor: number | undefined
}

export const NO_SELECTION: Selection = { isAll: false, ids: new Set(), anchor: undefined }

/** Returns the part of the loaded rows that is selected. */
export function getSelectedPart({ isAll, ids }: Selection, loadedIds: readonly string[]): 'none' | 'some' | 'all' {
  if (isAll) return 'all'
  const count = loadedIds.filter((id) => ids.has(id)).length
  return count === 0 ? 'none' : count === loadedIds.length ? 'all' : 'some'
}

/** A press on the checkbox of a row. */
export interface RowPress {
  readonly index: number
  readonly isSelected: boolean
  /** True if all rows since the last one are included. */
  readonly isRange: boolean
}

/** Returns the selection after a press. @param idAt returns the id of a row if it is loaded */
export function applyRowPress(
  selection: Selection,
  { index, isSelected, isRange }: RowPress,
  idAt: (index: number) => string | undefined,
): Selection {
  const from = isRange ? (selection.anchor ?? index) : index
  const [first, last] = from < index ? [from, index] : [index, from]
  const ids = new Set(selection.ids)
  for (let row = first; row <= last; row += 1) {
    const id = idAt(row)
    if (id === undefined) continue
    if (isSelected) ids.add(id)
    else ids.delete(id)
  }
  return { isAll: false, ids, anchor: index }
}
