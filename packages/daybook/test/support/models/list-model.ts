/** An entry in the response of a list. */
export type Item = Readonly<Record<string, unknown>> & { readonly id: string; readonly status: string }

export interface ListRequest {
  readonly sort: readonly { readonly path: string; readonly descending: boolean }[]
  readonly nulls: 'first' | 'last' | undefined
  readonly statuses: readonly string[] | undefined
  readonly q: string | undefined
  readonly limit: number
  readonly offset: number
  /** True if the caller has a session. */
  readonly auth: boolean
}

/** Computes the expected entries of a list by a plain filter and sort. */
export function expectedMatches(items: readonly Item[], request: ListRequest): readonly Item[] {
  const matches = items.filter((item) => isShown(item, request) && holdsWords(item, request.q))
  const last = request.sort.at(-1)
  const keys = [...request.sort, { path: 'id', descending: last?.descending ?? false }]
  return matches.sort((a, b) => {
    for (const { path, descending } of keys) {
      const nulls = request.nulls ?? (descending ? 'last' : 'first')
      const order = compare(valueAt(a, path), valueAt(b, path), descending, nulls)
      if (order !== 0) return order
    }
    return 0
  })
}

/** Formats a request as query parameters, without those of the page. */
export function toQuery({ sort, nulls, statuses, q }: ListRequest): string {
  const params = new URLSearchParams()
  params.set('sort', sort.map(({ path, descending }) => `${descending ? '-' : ''}${path}`).join(','))
  if (nulls) params.set('nulls', nulls)
  if (statuses) params.set('status', statuses.join(','))
  if (q !== undefined) params.set('q', q)
  return params.toString()
}

function isShown({ status }: Item, { auth, statuses }: ListRequest): boolean {
  return (auth || status === 'published') && (statuses === undefined || statuses.includes(status))
}

/** True if every word occurs; the last one may be the beginning of a word. */
function holdsWords({ title, body }: Item, q: string | undefined): boolean {
  if (q === undefined) return true
  const words = `${title} ${body ?? ''}`.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  const terms = q.toLowerCase().split(' ')
  return terms.every((word, index) =>
    words.some((candidate) => (index === terms.length - 1 ? candidate.startsWith(word) : candidate === word)),
  )
}

function valueAt(item: Item, path: string): unknown {
  return path.split('.').reduce<unknown>((at, key) => (at as Record<string, unknown> | null)?.[key] ?? null, item)
}

/** Compares texts by code point. */
function compare(a: unknown, b: unknown, descending: boolean, nulls: 'first' | 'last'): number {
  if (a === null || b === null) return (nulls === 'last' ? 1 : -1) * (Number(a === null) - Number(b === null))
  const areTexts = typeof a === 'string' && typeof b === 'string'
  const order = areTexts ? Buffer.compare(Buffer.from(a), Buffer.from(b)) : Number(a) - Number(b)
  return descending ? -order : order
}
