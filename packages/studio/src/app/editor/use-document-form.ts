import { useCallback, useMemo, useState } from 'react'
import type { FormDocument } from './form-document.ts'
import type { DocumentName } from './saving/copies/local-copies.ts'
import { setInside } from './saving/field-path.ts'
import { ItemKeys } from './saving/item-keys.ts'
import type { Values } from './saving/saved-field.ts'

/** A form for a document: what was loaded, and what was changed since. */
export interface DocumentForm {
  readonly document: FormDocument
  /** What the form shows. */
  readonly values: Values
  /** What differs from what was loaded. */
  readonly changes: Values
  readonly isChanged: boolean
  /** Forgets changes that are stored: those that nobody has changed since. */
  readonly settle: (stored: Values) => void
}

/** Keeps what somebody changes over what is loaded; a newer version that is loaded touches no changed field. */
export function useDocumentForm(name: DocumentName, loaded: Values): DocumentForm {
  const [changes, setChanges] = useState<Values>({})
  const [itemKeys] = useState(() => new ItemKeys())
  const { collection, id } = name
  const document = useMemo<FormDocument>(
    () => ({
      name: { collection, id },
      itemKeys,
      edit: ([key, ...inside], value) => {
        if (typeof key !== 'string') return
        setChanges((before) => {
          const next = setInside(key in before ? before[key] : loaded[key], inside, value, itemKeys)
          return next === undefined ? before : { ...before, [key]: next }
        })
      },
    }),
    [collection, id, itemKeys, loaded],
  )
  const settle = useCallback((stored: Values) => {
    setChanges((before) => Object.fromEntries(Object.entries(before).filter(([key, value]) => stored[key] !== value)))
  }, [])
  const values = useMemo(() => ({ ...loaded, ...changes }), [loaded, changes])
  return { document, values, changes, isChanged: Object.keys(changes).length > 0, settle }
}
