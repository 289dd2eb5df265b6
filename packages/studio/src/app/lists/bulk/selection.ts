/** Which rows of a list are chosen. */
export interface Selection {
  /** Whether all entries that match are meant, loaded or not. */
  readonly isAll: boolean
  readonly ids: ReadonlySet<string>
  /** The row that was chosen last: a range goes from there. */
  readonly anchor: number | undefined
}

/** Nothing is chosen. */
export const NO_SELECTION: Selection = { isAll: false, ids: new Set(), anchor: undefined }

/** What a press on the box of a row asks for. */
export interface RowPress {
  readonly index: number
  readonly isSelected: boolean
  /** Whether all rows between the last one and this are meant. */
  readonly isRange: boolean
}

/** The selection after a press. @param idAt the id of a row, where it is known */
export function applyRowPress(
  selection: Selection,
  { index, isSelected, isRange }: RowPress,
  idAt: (index: number) => string | undefined,
): Selection {
  const from = isRange ? (selection.anchor ?? index) : index
  const [first, last] = from < index ? [from, index] : [index, from]
  const ids = new Set(selection.ids)
  for (let at = first; at <= last; at += 1) {
    const id = idAt(at)
    if (id === undefined) continue
    if (isSelected) ids.add(id)
    else ids.delete(id)
  }
  return { isAll: false, ids, anchor: index }
}
