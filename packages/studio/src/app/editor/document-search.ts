/** What the address of a document says besides the document. */
export interface DocumentSearch {
  /** Of an entry that is not stored yet: its name in this browser, so that the tab finds it again. */
  readonly copy?: string | undefined
  /** The language of the content. */
  readonly locale?: string | undefined
  /** `source`: what the source says stands beside each field. */
  readonly beside?: string | undefined
  /** The place of a field to lead to, with dots between: `parts.0.title`. */
  readonly field?: string | undefined
  /** `beside`: the page of the site is shown beside the form. */
  readonly preview?: string | undefined
}

const KEYS = ['copy', 'locale', 'beside', 'field', 'preview'] as const

/** Reads what the address says; what means nothing is left out. */
export const readDocumentSearch = (search: Readonly<Record<string, unknown>>): DocumentSearch =>
  Object.fromEntries(
    KEYS.flatMap((key) => {
      const value = search[key]
      return typeof value === 'string' && value !== '' ? [[key, value]] : []
    }),
  )

/** What the address of a history says. */
interface HistorySearch {
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
