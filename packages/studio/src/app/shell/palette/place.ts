/** A place in the Studio, as the palette offers it. */
export interface Place {
  /** Below the Studio's own path, such as `/c/posts`. */
  readonly to: string
  readonly label: string
  /** What kind of place it is, in words. */
  readonly kind: string
}
