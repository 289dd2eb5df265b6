import { fromPairs, type Parameters, type Query, type QueryOf, readParameters } from '../query/parameters.ts'
import { reverseParams } from '../query/reverse-page.ts'
import { type Where, whereParams } from '../query/where.ts'
import type { ReadOptions } from './call-options.ts'
import type { Preconditions } from './reads/etags.ts'

/** Options of a read: those that are written with brackets, and all others. */
interface QueryOptions {
  readonly where?: Where
  readonly reverse?: ReadOptions['reverse']
  readonly [option: string]: unknown
}

/** Options, read as the query parameters of the same names. */
export function fromOptions<P extends Parameters>(
  declared: P,
  options: { readonly [K in keyof P]?: unknown },
): Query<QueryOf<P>> {
  const { where, reverse, ...plain }: QueryOptions = options
  // An empty list of names says nothing, as a parameter that is left out.
  const pairs = Object.entries(plain).filter(
    ([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0),
  )
  const named = pairs.map(([name, value]) => [name, Array.isArray(value) ? value.join(',') : String(value)] as const)
  const pages = reverse ? reverseParams(reverse) : []
  return readParameters(declared, fromPairs([...named, ...pages, ...(where ? whereParams(where) : [])]))
}

/** The precondition that a tag states. */
export function toCondition(ifMatch: string | undefined): Preconditions {
  if (ifMatch === '*') return { ifMatch }
  return ifMatch === undefined ? {} : { ifMatch: [{ weak: false, value: ifMatch.replace(/^"|"$/g, '') }] }
}
