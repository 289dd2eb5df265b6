import { type KeyboardEvent, useCallback, useEffect, useRef } from 'react'

/** Places in a row, of which not all are drawn. */
export interface FocusableItems {
  readonly has: (index: number) => boolean
  /** What takes the focus at a place; undefined or null: it is not drawn or loaded yet. */
  readonly find: (index: number) => HTMLElement | null | undefined
  /** Has a place drawn, and loaded. */
  readonly show: (index: number) => void
  /** Whether a place can take no focus, and is passed over. @default none */
  readonly isEmpty?: (index: number) => boolean
}

/** Moves the focus from place to place. */
export interface ListFocus {
  /** Goes on by a number of places, counted from where presses before this one lead to. A key without such a place does what it always does. */
  readonly move: (event: KeyboardEvent, from: number, step: number) => void
  /** Told that the focus has left. */
  readonly reset: () => void
}

/** What somebody does who goes elsewhere, while what they went to before may never come. */
const LEAVING = ['wheel', 'touchmove', 'pointerdown'] as const

/** Keys move the focus, each press one further, also to what is not drawn or loaded yet. */
export function useListFocus({ has, find, show, isEmpty }: FocusableItems): ListFocus {
  const wanted = useRef<number>(undefined)
  const forget = useCallback(() => {
    wanted.current = undefined
  }, [])
  const go = (): void => {
    const { current: index } = wanted
    if (index === undefined) return
    const element = find(index)
    if (element || isEmpty?.(index)) forget()
    if (element) element.focus()
    else show(index)
  }
  // Whatever is drawn anew may be what is waited for.
  useEffect(go)
  useEffect(() => {
    for (const name of LEAVING) window.addEventListener(name, forget, { passive: true })
    return () => {
      for (const name of LEAVING) window.removeEventListener(name, forget)
    }
  }, [forget])
  return {
    move: (event, from, step) => {
      let next = (wanted.current ?? from) + step
      while (isEmpty?.(next)) next += step
      if (!has(next)) return
      event.preventDefault()
      wanted.current = next
      go()
    },
    reset: forget,
  }
}
