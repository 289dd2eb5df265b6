import { type ReactNode, type RefObject, useLayoutEffect } from 'react'

/** What a {@link TypedAhead} takes. */
export interface TypedAheadProps {
  /** What has been typed. */
  readonly typed: RefObject<string>
  readonly onClose: () => void
}

/** Stands in the place of a field that is being loaded, and keeps what is typed for it. */
export function TypedAhead({ typed, onClose }: TypedAheadProps): ReactNode {
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey) return
      // What has the focus meanwhile is not meant.
      event.preventDefault()
      event.stopPropagation()
      if (event.key === 'Escape') onClose()
      else typed.current = afterKey(typed.current, event.key)
    }
    window.addEventListener('keydown', press, { capture: true })
    return () => window.removeEventListener('keydown', press, { capture: true })
  }, [typed, onClose])
  return null
}

/** A text after a key; keys that write nothing change nothing. */
function afterKey(text: string, key: string): string {
  if (key === 'Backspace') return [...text].slice(0, -1).join('')
  return [...key].length === 1 ? text + key : text
}
