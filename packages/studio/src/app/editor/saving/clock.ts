/** Time, as the engine knows it. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Calls once, after so many milliseconds. @returns takes it back */
  after(ms: number, call: () => void): () => void
}
