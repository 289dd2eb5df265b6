let made = 0

/** Begins to count anew: the same calls at the same moments of the clock make the same ids. */
export function restartIds(): void {
  made = 0
}

/** A UUIDv7 of a moment and a number, in place of one with random bits. */
export function fixedId({ msecs = Date.now() }: { readonly msecs?: number } = {}): string {
  made += 1
  const time = msecs.toString(16).padStart(12, '0')
  const count = made.toString(16).padStart(15, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${count.slice(0, 3)}-8000-${count.slice(3)}`
}
