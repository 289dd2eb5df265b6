import type { Violation } from '../issues.ts'
import { findNearest } from '../nearest.ts'

/** Names of other systems, each with the parameters that do the same here. */
const OTHER_PARAMETER_NAMES: Readonly<Record<string, readonly string[]>> = {
  page: ['offset', 'cursor'],
  skip: ['offset'],
  start: ['offset'],
  after: ['cursor'],
  per_page: ['limit'],
  perpage: ['limit'],
  pagesize: ['limit'],
  page_size: ['limit'],
  size: ['limit'],
  take: ['limit'],
  first: ['limit'],
  populate: ['include'],
  expand: ['include'],
  embed: ['include'],
  with: ['include'],
  fields: ['select'],
  projection: ['select'],
  order: ['sort'],
  orderby: ['sort'],
  order_by: ['sort'],
  search: ['q'],
  query: ['q'],
  lang: ['locale'],
  language: ['locale'],
  filter: ['where[field][operator]=value'],
  filters: ['where[field][operator]=value'],
  pagination: ['limit', 'offset', 'cursor'],
}

/** The violation of a parameter that a route does not take, with those to use instead. */
export function unknownParameterViolation(name: string, known: readonly string[]): Violation {
  const [word = ''] = name.toLowerCase().replace(/^\$/, '').split('[')
  const synonyms = Object.hasOwn(OTHER_PARAMETER_NAMES, word) ? (OTHER_PARAMETER_NAMES[word] ?? []) : []
  const [first = ''] = synonyms[0]?.split(/\W/) ?? []
  const isTaken = first !== '' && known.some((one) => one.startsWith(first))
  const meant = isTaken ? synonyms : [findNearest(word, known)].filter((param) => param !== undefined)
  const last = meant.at(-1)
  if (last === undefined) return noneMeant(known)
  if (meant.length === 1) return ['unknown_param', `there is no such parameter; write ${last}`, { nearest: last }]
  const message = `there is no such parameter; write ${meant.slice(0, -1).join(', ')} or ${last}`
  return ['unknown_param', message, { values: meant }]
}

const noneMeant = (known: readonly string[]): Violation =>
  known.length === 0
    ? ['unknown_param', 'there is no such parameter; this address takes none']
    : ['unknown_param', `there is no such parameter; write one of: ${known.join(', ')}`, { values: known }]
