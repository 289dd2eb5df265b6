/** The event of an element that is to be visible, for the tabs and sections around it. */
const REVEAL = 'reveal'

/** Opens the tab and the sections around an element, synchronously. */
export function reveal(element: Element): void {
  element.dispatchEvent(new Event(REVEAL, { bubbles: true }))
}

/** Calls a function when an element inside the container is to be visible. @returns a function that ends it */
export function onReveal(container: Element, open: () => void): () => void {
  container.addEventListener(REVEAL, open)
  return () => container.removeEventListener(REVEAL, open)
}
