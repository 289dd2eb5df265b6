import { useEffect } from 'react'
import { reveal } from '../ui/reveal.ts'

/** Matches elements for typing. */
const WRITABLE = 'input:not([type=hidden]):not([disabled]), textarea:not([disabled]), [contenteditable=true]'
/** Matches other focusable elements, such as a button that opens a picker. */
const FOCUSABLE = 'select:not([disabled]), [tabindex="0"], button:not([disabled])'

interface FocusOptions {
  /** True to scroll without moving the focus. @default false */
  readonly isScrolledOnly?: boolean
}

/**
 * Focuses a field: opens the tab, the section and the items around it, scrolls to it, and moves the focus there. If the place no longer exists, the nearest element
 * around it is focused.
 *
 * @param place the dotted path, such as `parts.0.title`
 * @returns false if nothing was found
 */
export function focusField(place: string, { isScrolledOnly = false }: FocusOptions = {}): boolean {
  const element = findNearest(place)
  if (!element) return false
  reveal(element)
  const box = element.getBoundingClientRect()
  const isVisible = box.top >= 0 && box.top < window.innerHeight * 0.8
  if (!isVisible || !isScrolledOnly) element.scrollIntoView({ block: isVisible ? 'nearest' : 'start' })
  if (!isScrolledOnly && !element.contains(document.activeElement)) {
    const target = element.querySelector<HTMLElement>(WRITABLE) ?? element.querySelector<HTMLElement>(FOCUSABLE)
    target?.focus({ preventScroll: true })
  }
  return true
}

/** Finds the element of a place, or the nearest one around it, and unfolds list items on the way. */
function findNearest(place: string): HTMLElement | null {
  const [first = '', ...rest] = place.split('.')
  let element = document.getElementById(`field-${first}`)
  let path = first
  for (const step of rest) {
    if (!element) break
    path = `${path}.${step}`
    const child: Element | undefined = document.getElementById(`field-${path}`) ?? findItem(element, step)
    if (!(child instanceof HTMLElement)) continue
    element = child
    // An unfolded item renders its fields synchronously.
    element.querySelector<HTMLElement>('[data-part=toggle][aria-expanded=false]')?.click()
  }
  return element
}

/** Finds the item at an index of a rendered list. */
function findItem(list: HTMLElement, step: string): Element | undefined {
  return /^\d+$/.test(step) ? list.querySelector('[data-part=items]')?.children[Number(step)] : undefined
}

/** Focuses the field that the URL names, once the form is loaded. */
export function useFieldTarget(isLoaded: boolean, field: string | undefined): void {
  useEffect(() => {
    if (isLoaded && field !== undefined) focusField(field)
  }, [isLoaded, field])
}
