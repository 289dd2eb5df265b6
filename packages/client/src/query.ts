export type QueryParams = Readonly<Record<string, unknown>>

type Pair = [name: string, value: string]

/**
 * Writes an object as a query string: lists are joined by commas (or written as `name[]` if a value contains a comma), `where` and
 * `reverse` use brackets, and `aggregate` becomes names. `undefined` and `null` are left out.
 *
 * @returns an empty string, or one with its question mark
 * @throws {TypeError} for a filter that cannot be sent, since a list without it would be longer
 */
export function toQueryString({ where, reverse, aggregate, ...plain }: QueryParams): string {
  const pairs = Object.entries({ ...plain, aggregate: toNames(aggregate) }).flatMap(([name, value]): Pair[] => {
    const isEmpty = value === undefined || value === null || (Array.isArray(value) && value.length === 0)
    return isEmpty ? [] : [[name, String(value)]]
  })
  const conditions = where === undefined ? [] : toPairs('where', where)
  const search = new URLSearchParams([...pairs, ...toPages(reverse), ...conditions]).toString()
  return search === '' ? '' : `?${search}`
}

/** Writes the pages of reverse fields. */
function toPages(pages: unknown): Pair[] {
  return Object.entries((pages ?? {}) as Readonly<Record<string, object>>).flatMap(([path, page]) =>
    Object.entries(page).flatMap(([option, value]): Pair[] =>
      value === undefined ? [] : [[`reverse[${path}][${option}]`, String(value)]],
    ),
  )
}

/** Returns the names of aggregates in an object such as `{ minutes: ['min', 'max'], day: 'count:month' }`. */
function toNames(aggregate: unknown): unknown {
  if (typeof aggregate !== 'object' || aggregate === null || Array.isArray(aggregate)) return aggregate
  return Object.entries(aggregate).flatMap(([path, aggregates]) =>
    [aggregates].flat().map((name) => {
      const [kind, period] = String(name).split(':')
      return [kind, path, ...(period === undefined ? [] : [period])].join(':')
    }),
  )
}

function toPairs(name: string, value: unknown): Pair[] {
  if (Array.isArray(value)) {
    if (value.length === 0) throw new TypeError(`${name} is empty. Write at least one value.`)
    const isGroup = /\[(?:and|or)\]$/.test(name)
    return isGroup
      ? value.flatMap((branch, index) => toPairs(`${name}[${index}]`, branch))
      : toList(
          name,
          value.map((item) => toText(name, item)),
        )
  }
  if (typeof value !== 'object' || value === null) return [[name, toText(name, value)]]
  return Object.entries(value).flatMap(([key, inner]) => toPairs(`${name}[${key}]`, inner))
}

function toText(name: string, value: unknown): string {
  if (['string', 'number', 'boolean'].includes(typeof value)) return String(value)
  throw new TypeError(`${name} must be a string, a number or a boolean, not ${value}.`)
}

/** Joins values by commas, or writes them separately if one contains a comma. */
const toList = (name: string, texts: readonly string[]): Pair[] =>
  texts.some((text) => text.includes(',')) ? texts.map((text): Pair => [`${name}[]`, text]) : [[name, texts.join(',')]]
