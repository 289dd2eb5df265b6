import { type KeyboardEvent, useCallback, useEffect, useRef } from 'react'

/** The items of a list, of which not all are rendered. */
export interface FocusableItems {
  readonly has: (index: number) => boolean
  /** Finds the element to focus in an item; `undefined` or `null` if the item is not rendered or loaded yet. */
  readonly find: (index: number) => HTMLElement | null | undefined
  /** Scrolls to an item, so that it is loaded and rendered. */
  readonly show: (index: number) => void
  /** True for items that are skipped. @default none */
  readonly isEmpty?: (index: number) => boolean
}

export interface ListFocus {
  /** Moves the focus by a number of items from the target of earlier presses. At the end of the list, the key keeps its default action. */
  readonly move: (event: KeyboardEvent, from: number, step: number) => void
  /** Forgets the target, when the focus leaves the list. */
  readonly reset: () => void
}

/** Events by which the user goes elsewhere while the target is still loading. */
const INTERRUPTING_EVENTS = ['wheel', 'touchmove', 'pointerdown'] as const

/** Moves the focus through a list by keys, also to items that are not rendered or loaded yet. */
export function useListFocus({ has, find, show, isEmpty }: FocusableItems): ListFocus {
  const target = useRef<number>(undefined)
  const reset = useCallback(() => {
    target.current = undefined
  }, [])
  const focusTarget = (): void => {
    const { current: index } = target
    if (index === undefined) return
    const element = find(index)
    if (element || isEmpty?.(index)) reset()
    if (element) element.focus()
    else show(index)
  }
  // Any render may bring the target.
  useEffect(focusTarget)
  useEffect(() => {
    for (const name of INTERRUPTING_EVENTS) window.addEventListener(name, reset, { passive: true })
    return () => {
      for (const name of INTERRUPTING_EVENTS) window.removeEventListener(name, reset)
    }
  }, [reset])
  return {
    move: (event, from, step) => {
      let next = (target.current ?? from) + step
      while (isEmpty?.(next)) next += step
      if (!has(next)) return
      event.preventDefault()
      target.current = next
      focusTarget()
    },
    reset,
  }
}
