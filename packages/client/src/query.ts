/** Parameters of a request, by name. */
export type QueryParams = Readonly<Record<string, unknown>>

/** A parameter as it is sent. */
type Pair = [name: string, value: string]

/**
 * The query string that says what an object says: lists joined by commas (`name[]` for each value where one holds a comma), `where` and `reverse` with their brackets, `aggregate` by name;
 * what is `undefined`
 * or `null` is left out.
 *
 * @returns empty, or with its question mark
 * @throws {TypeError} for a condition that cannot be sent: without it, more would be found than was asked for
 */
export function toQueryString({ where, reverse, aggregate, ...plain }: QueryParams): string {
  const pairs = Object.entries({ ...plain, aggregate: toNames(aggregate) }).flatMap(([name, value]): Pair[] => {
    // An empty list of names says nothing, as a parameter that is left out.
    const isNothing = value === undefined || value === null || (Array.isArray(value) && value.length === 0)
    return isNothing ? [] : [[name, String(value)]]
  })
  const conditions = where === undefined ? [] : toPairs('where', where)
  const search = new URLSearchParams([...pairs, ...toPages(reverse), ...conditions]).toString()
  return search === '' ? '' : `?${search}`
}

/** The pages of reverse fields, by path. */
function toPages(pages: unknown): Pair[] {
  return Object.entries((pages ?? {}) as Readonly<Record<string, object>>).flatMap(([path, page]) =>
    Object.entries(page).flatMap(([option, value]): Pair[] =>
      value === undefined ? [] : [[`reverse[${path}][${option}]`, String(value)]],
    ),
  )
}

/** The names of aggregates that an object says: `{ minutes: ['min', 'max'], day: 'count:month' }`. */
function toNames(aggregate: unknown): unknown {
  if (typeof aggregate !== 'object' || aggregate === null || Array.isArray(aggregate)) return aggregate
  return Object.entries(aggregate).flatMap(([path, asked]) =>
    [asked].flat().map((one) => {
      const [kind, period] = String(one).split(':')
      return [kind, path, ...(period === undefined ? [] : [period])].join(':')
    }),
  )
}

function toPairs(name: string, value: unknown): Pair[] {
  if (Array.isArray(value)) {
    if (value.length === 0) throw new TypeError(`${name} is empty; write at least one value`)
    const isGroup = /\[(?:and|or)\]$/.test(name)
    return isGroup
      ? value.flatMap((branch, index) => toPairs(`${name}[${index}]`, branch))
      : toList(
          name,
          value.map((one) => toText(name, one)),
        )
  }
  if (typeof value !== 'object' || value === null) return [[name, toText(name, value)]]
  return Object.entries(value).flatMap(([key, inner]) => toPairs(`${name}[${key}]`, inner))
}

function toText(name: string, value: unknown): string {
  if (['string', 'number', 'boolean'].includes(typeof value)) return String(value)
  throw new TypeError(`${name} is ${value}; write a text, a number, true or false`)
}

/** Values joined by commas, or one by one where one of them holds a comma. */
const toList = (name: string, texts: readonly string[]): Pair[] =>
  texts.some((text) => text.includes(',')) ? texts.map((text): Pair => [`${name}[]`, text]) : [[name, texts.join(',')]]
