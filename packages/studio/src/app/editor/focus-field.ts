import { useEffect } from 'react'

/** Where something is written in a field. */
const WRITABLE = 'input:not([type=hidden]):not([disabled]), textarea:not([disabled]), [contenteditable=true]'
/** What else can take the focus in a field, such as a button that opens a choice. */
const FOCUSABLE = 'select:not([disabled]), [tabindex="0"], button:not([disabled])'

/** How a field is led to. */
interface FocusOptions {
  /** Whether the focus stays where it is. @default false */
  readonly isScrolledOnly?: boolean
}

/**
 * Leads to a field: unfolds what is around it, scrolls to it, and focuses it. A place that is not there any more leads to the nearest thing
 * around it.
 *
 * @param place with dots between: `parts.0.title`
 * @returns whether anything was there
 */
export function focusField(place: string, { isScrolledOnly = false }: FocusOptions = {}): boolean {
  const element = nearest(place)
  if (!element) return false
  const box = element.getBoundingClientRect()
  const isSeen = box.top >= 0 && box.top < window.innerHeight * 0.8
  if (!isSeen || !isScrolledOnly) element.scrollIntoView({ block: isSeen ? 'nearest' : 'start' })
  if (!isScrolledOnly && !element.contains(document.activeElement)) {
    const target = element.querySelector<HTMLElement>(WRITABLE) ?? element.querySelector<HTMLElement>(FOCUSABLE)
    target?.focus({ preventScroll: true })
  }
  return true
}

/** The element of a place, or of the nearest one around it that can be shown. Items of lists on the way are unfolded. */
function nearest(place: string): HTMLElement | null {
  const [first = '', ...rest] = place.split('.')
  let element = document.getElementById(`field-${first}`)
  let known = first
  for (const step of rest) {
    if (!element) break
    known = `${known}.${step}`
    const own = document.getElementById(`field-${known}`)
    const item: Element | undefined = own ?? itemAt(element, step)
    if (!(item instanceof HTMLElement)) continue
    element = item
    // What is folded draws its fields at once when it is unfolded.
    element.querySelector<HTMLElement>('[data-part=toggle][aria-expanded=false]')?.click()
  }
  return element
}

/** The item of a list at a place in it, where the list is drawn. */
function itemAt(list: HTMLElement, step: string): Element | undefined {
  return /^\d+$/.test(step) ? list.querySelector('[data-part=items]')?.children[Number(step)] : undefined
}

/** Leads to the field that the address names, once the form is there. */
export function useFieldTarget(isLoaded: boolean, field: string | undefined): void {
  useEffect(() => {
    if (isLoaded && field !== undefined) focusField(field)
  }, [isLoaded, field])
}
