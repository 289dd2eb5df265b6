import { type FocusEvent, type KeyboardEvent, type RefObject, useState } from 'react'
import { findPressIndex, SHORTCUTS } from '../../../ui/shortcuts.ts'

export interface FullScreen {
  readonly isOn: boolean
  toggle(): void
  /** The handlers of the element that fills the screen. */
  readonly handlers: {
    onKeyDown(event: KeyboardEvent): void
    onBlur(event: FocusEvent): void
  }
}

/** Lets an element fill the window. Escape leaves, and so does moving the focus to the page behind it. */
export function useFullScreen(element: RefObject<HTMLElement | null>): FullScreen {
  const [isOn, setOn] = useState(false)
  return {
    isOn,
    toggle: () => setOn(!isOn),
    handlers: {
      onKeyDown(event) {
        const isShortcut = findPressIndex(SHORTCUTS.texts.fullScreen, event) >= 0
        const isEscape = isOn && event.key === 'Escape' && !event.defaultPrevented
        // Events of dialogs reach this element in React, but not in the page.
        const isInside = event.target instanceof Node && element.current?.contains(event.target)
        if (!isInside || (!isShortcut && !isEscape)) return
        event.preventDefault()
        event.stopPropagation()
        setOn(!isOn)
      },
      onBlur({ relatedTarget }) {
        const main = element.current?.closest('main')
        const isBehind = relatedTarget instanceof Node && main?.contains(relatedTarget)
        if (isOn && isBehind && !element.current?.contains(relatedTarget)) setOn(false)
      },
    },
  }
}
