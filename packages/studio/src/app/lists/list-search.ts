export interface ListSearch {
  /** Words that must all match. */
  readonly q?: string | undefined
  /** The paths of the columns after the title, separated by commas. @default the user's last choice */
  readonly columns?: string | undefined
  /** A path, with a leading `-` for descending order. @default last change first, or with `q` best match first */
  readonly sort?: string | undefined
  /** @default all */
  readonly status?: string | undefined
  /** The filter in the format of the API. It is sent unchecked, so that no filter is lost. */
  readonly where?: unknown
  /** `list` shows a tree as a list. @default a tree, if entries have parents */
  readonly layout?: string | undefined
  /** The id of the saved view from which the other parameters come. */
  readonly view?: string | undefined
}

const TEXT_PARAMS = ['q', 'columns', 'sort', 'status', 'layout', 'view'] as const

/** Parses the parameters of the URL of a list, without invalid ones. */
export function readListSearch(params: Readonly<Record<string, unknown>>): ListSearch {
  const texts = TEXT_PARAMS.flatMap((name) => {
    const text = toText(params[name])
    return text === undefined ? [] : [[name, text] as const]
  })
  const { where } = params
  return { ...Object.fromEntries(texts), ...(where === undefined || where === null ? {} : { where }) }
}

/** Converts a parameter to text; the router parses numeric ones as numbers. */
function toText(value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(value) : value
  return typeof text === 'string' && text.trim() !== '' ? text : undefined
}
