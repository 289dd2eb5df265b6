/** What the address of a list says. */
export interface ListSearch {
  /** Words that must all be found. */
  readonly q?: string | undefined
  /** The paths of the columns behind the title, by commas. @default what the person chose before */
  readonly columns?: string | undefined
  /** A path; a leading `-` descends. @default the last change first, or with words the best match */
  readonly sort?: string | undefined
  /** One status. @default all */
  readonly status?: string | undefined
  /** What entries must hold, as the API takes it. Whatever stands here is sent, so that no filter is lost. */
  readonly where?: unknown
  /** The view that the rest was taken from. */
  readonly view?: string | undefined
}

const TEXTS = ['q', 'columns', 'sort', 'status', 'view'] as const

/** Reads what the address of a list says; what means nothing is left out. */
export function readListSearch(given: Readonly<Record<string, unknown>>): ListSearch {
  const texts = TEXTS.flatMap((name) => {
    const text = textOf(given[name])
    return text === undefined ? [] : [[name, text] as const]
  })
  const { where } = given
  return { ...Object.fromEntries(texts), ...(where === undefined || where === null ? {} : { where }) }
}

/** A text that looks like a number comes as one from an address. */
function textOf(value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(value) : value
  return typeof text === 'string' && text.trim() !== '' ? text : undefined
}
