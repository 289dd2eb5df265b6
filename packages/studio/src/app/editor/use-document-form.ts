import { useCallback, useMemo, useState } from 'react'

/** The values of a document, by key. */
export type Values = Readonly<Record<string, unknown>>

/** A form for a document: what was loaded, and what was changed since. */
export interface DocumentForm {
  /** What the form shows. */
  readonly values: Values
  /** What differs from what was loaded. */
  readonly changes: Values
  readonly isChanged: boolean
  readonly change: (key: string, value: unknown) => void
  /** Forgets changes that are stored: those that nobody has changed since. */
  readonly settle: (stored: Values) => void
}

/** Keeps what somebody changes over what is loaded; a newer version that is loaded touches no changed field. */
export function useDocumentForm(loaded: Values): DocumentForm {
  const [changes, setChanges] = useState<Values>({})
  const change = useCallback((key: string, value: unknown) => {
    setChanges((before) => ({ ...before, [key]: value }))
  }, [])
  const settle = useCallback((stored: Values) => {
    setChanges((before) => Object.fromEntries(Object.entries(before).filter(([key, value]) => stored[key] !== value)))
  }, [])
  const values = useMemo(() => ({ ...loaded, ...changes }), [loaded, changes])
  return { values, changes, isChanged: Object.keys(changes).length > 0, change, settle }
}
