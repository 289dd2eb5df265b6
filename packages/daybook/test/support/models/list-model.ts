/** An entry as a list answers it. */
export type Item = Readonly<Record<string, unknown>> & { readonly id: string; readonly status: string }

/** A list request in the model's terms. */
export interface ListRequest {
  readonly sort: readonly { readonly path: string; readonly descending: boolean }[]
  readonly nulls: 'first' | 'last' | undefined
  readonly statuses: readonly string[] | undefined
  readonly q: string | undefined
  readonly limit: number
  readonly offset: number
  /** Whether the reader has a session. */
  readonly auth: boolean
}

/** What a list of these entries must answer: a plain filter and sort, to check the service against. */
export function expectedMatches(items: readonly Item[], question: ListRequest): readonly Item[] {
  const found = items.filter((item) => isShown(item, question) && holdsWords(item, question.q))
  const last = question.sort.at(-1)
  const keys = [...question.sort, { path: 'id', descending: last?.descending ?? false }]
  return found.sort((a, b) => {
    for (const { path, descending } of keys) {
      const nulls = question.nulls ?? (descending ? 'last' : 'first')
      const order = compare(valueAt(a, path), valueAt(b, path), descending, nulls)
      if (order !== 0) return order
    }
    return 0
  })
}

/** The same question as query parameters, without those of the page. */
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

/** Every word is there; the last one may be the beginning of one. */
function holdsWords({ title, body }: Item, q: string | undefined): boolean {
  if (q === undefined) return true
  const words = `${title} ${body ?? ''}`.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  const asked = q.toLowerCase().split(' ')
  return asked.every((word, index) =>
    words.some((one) => (index === asked.length - 1 ? one.startsWith(word) : one === word)),
  )
}

function valueAt(item: Item, path: string): unknown {
  return path.split('.').reduce<unknown>((at, key) => (at as Record<string, unknown> | null)?.[key] ?? null, item)
}

/** Texts compare by code point. */
function compare(a: unknown, b: unknown, descending: boolean, nulls: 'first' | 'last'): number {
  if (a === null || b === null) return (nulls === 'last' ? 1 : -1) * (Number(a === null) - Number(b === null))
  const areTexts = typeof a === 'string' && typeof b === 'string'
  const order = areTexts ? Buffer.compare(Buffer.from(a), Buffer.from(b)) : Number(a) - Number(b)
  return descending ? -order : order
}
