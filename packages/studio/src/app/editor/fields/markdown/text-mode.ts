import { useSyncExternalStore } from 'react'

const KEY = 'daybook-text-source'
const listeners = new Set<() => void>()

/** True if texts are shown formatted, false for their source. All text fields of the browser share it. */
export const useFormattedTexts = (): boolean => useSyncExternalStore(subscribe, isFormatted)

export function setFormattedTexts(isOn: boolean): void {
  try {
    if (isOn) localStorage.removeItem(KEY)
    else localStorage.setItem(KEY, 'true')
  } catch {
    // Without storage, the choice cannot be remembered.
  }
  for (const listener of listeners) listener()
}

function isFormatted(): boolean {
  try {
    return localStorage.getItem(KEY) === null
  } catch {
    return true
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  window.addEventListener('storage', listener)
  return () => {
    listeners.delete(listener)
    window.removeEventListener('storage', listener)
  }
}
