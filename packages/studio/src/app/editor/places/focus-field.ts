/** What can take the focus in a field. */
const FOCUSABLE =
  'input:not([type=hidden]):not([disabled]), textarea:not([disabled]), select:not([disabled]), [contenteditable=true], [tabindex="0"], button:not([disabled])'

/** How a field is led to. */
interface FocusOptions {
  /** Whether the focus stays where it is. @default false */
  readonly isScrolledOnly?: boolean
}

/**
 * Leads to a field: scrolls to it, and focuses it. A place inside what is folded leads to the nearest thing around it that is shown.
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
    element.querySelector<HTMLElement>(FOCUSABLE)?.focus({ preventScroll: true })
  }
  return true
}

/** The element of a place, or of the nearest one around it. */
function nearest(place: string): HTMLElement | null {
  const found = document.getElementById(`field-${place}`)
  const around = place.lastIndexOf('.')
  return found ?? (around < 0 ? null : nearest(place.slice(0, around)))
}
