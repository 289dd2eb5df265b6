let count = 0

/** Restarts the count: the same calls at the same times make the same ids. */
export function restartIds(): void {
  count = 0
}

/** Makes a UUIDv7 of a time and a count, in place of one with random bits. */
export function fixedId({ msecs = Date.now() }: { readonly msecs?: number } = {}): string {
  count += 1
  const time = msecs.toString(16).padStart(12, '0')
  const suffix = count.toString(16).padStart(15, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${suffix.slice(0, 3)}-8000-${suffix.slice(3)}`
}
