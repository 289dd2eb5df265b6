import { useCallback, useEffect, useRef } from 'react'

/** Returns a function that delays work, so that only the last of several calls runs. Pending work runs when the component is removed. */
export function useDelayed(delayMs: number): (work: () => void) => void {
  const pending = useRef<{ readonly timer: ReturnType<typeof setTimeout>; readonly work: () => void }>(undefined)
  useEffect(
    () => () => {
      clearTimeout(pending.current?.timer)
      pending.current?.work()
      pending.current = undefined
    },
    [],
  )
  return useCallback(
    (work) => {
      clearTimeout(pending.current?.timer)
      const run = (): void => {
        pending.current = undefined
        work()
      }
      pending.current = { timer: setTimeout(run, delayMs), work }
    },
    [delayMs],
  )
}
