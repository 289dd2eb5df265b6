/** What is known of an image. */
export interface ImageFacts {
  /** In pixels. */
  readonly width?: number | undefined
  readonly height?: number | undefined
  /** As a `data:` URL. */
  readonly placeholder?: string | undefined
}
