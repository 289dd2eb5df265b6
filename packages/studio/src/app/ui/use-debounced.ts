import { useEffect, useState } from 'react'

/** A text as it was when it last stayed the same for a while, such as words that somebody types. @param ms how long, in milliseconds */
export function useDebounced(text: string, ms: number): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), ms)
    return () => clearTimeout(timer)
  }, [text, ms])
  return settled
}
