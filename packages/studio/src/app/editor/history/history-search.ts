/** What the address of a history says. */
export interface HistorySearch {
  /** The number of the version that is shown. @default the newest */
  readonly version?: number | undefined
  /** The language of the content. */
  readonly locale?: string | undefined
}

/** Reads what the address of a history says; what means nothing is left out. */
export const readHistorySearch = ({ version, locale }: Readonly<Record<string, unknown>>): HistorySearch => ({
  ...(Number.isSafeInteger(Number(version)) && Number(version) > 0 ? { version: Number(version) } : {}),
  ...(typeof locale === 'string' && locale !== '' ? { locale } : {}),
})
