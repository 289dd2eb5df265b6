const DOCUMENT_KEYS = [
  // The name of an unstored entry in this browser, so that a reopened tab finds it.
  'copy',
  // The language of the content.
  'locale',
  // `source` shows the source of a translation beside each field.
  'beside',
  // The dotted path of the field to focus, such as `parts.0.title`.
  'field',
  // `beside` shows the page of the site beside the form.
  'preview',
] as const

/** The search parameters in the URL of a document. */
export type DocumentSearch = { readonly [key in (typeof DOCUMENT_KEYS)[number]]?: string | undefined }

/** Reads the search parameters of a document, without invalid ones. */
export const readDocumentSearch = (search: Readonly<Record<string, unknown>>): DocumentSearch =>
  Object.fromEntries(
    DOCUMENT_KEYS.flatMap((key) => {
      const value = search[key]
      return typeof value === 'string' && value !== '' ? [[key, value]] : []
    }),
  )

/** The search parameters in the URL of a history. */
interface HistorySearch {
  /** The revision of the shown version. @default the newest */
  readonly version?: number | undefined
  /** The language of the content. */
  readonly locale?: string | undefined
}

/** Reads the search parameters of a history, without invalid ones. */
export const readHistorySearch = ({ version, locale }: Readonly<Record<string, unknown>>): HistorySearch => ({
  ...(Number.isSafeInteger(Number(version)) && Number(version) > 0 ? { version: Number(version) } : {}),
  ...(typeof locale === 'string' && locale !== '' ? { locale } : {}),
})
