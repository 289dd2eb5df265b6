/** What the page says to the program. */
export interface Settings {
  /** Where the Studio is, such as `/studio`. */
  readonly path: string
  readonly title: string
  /** The path of an image. */
  readonly logo?: string
  /** The paths of editors of field types that the config brings, by type. */
  readonly editors?: Readonly<Record<string, string>>
  /** The addresses of the site's pages, by collection, with places in braces. */
  readonly preview: Readonly<Record<string, string>>
}

/** Reads what the page says. */
export const readSettings = (): Settings => ({
  preview: {},
  ...JSON.parse(document.getElementById('settings')?.textContent ?? '{}'),
})
