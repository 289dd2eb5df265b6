import type { Violation } from '../issues.ts'
import { findNearest, unknownName } from '../nearest.ts'

/** Parameter names of other systems, with the equivalent parameters. */
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

/** Returns the violation of a parameter that a route does not take, with suggestions. */
export function unknownParameterViolation(name: string, declared: readonly string[]): Violation {
  const [word = ''] = name.toLowerCase().replace(/^\$/, '').split('[')
  const synonyms = Object.hasOwn(OTHER_PARAMETER_NAMES, word) ? (OTHER_PARAMETER_NAMES[word] ?? []) : []
  const [first = ''] = synonyms[0]?.split(/\W/) ?? []
  const hasSynonym = first !== '' && declared.some((parameter) => parameter.startsWith(first))
  const suggestions = hasSynonym ? synonyms : [findNearest(word, declared)].filter((param) => param !== undefined)
  const last = suggestions.at(-1)
  const shown = name.slice(0, 64)
  if (last === undefined) return withoutSuggestion(shown, declared)
  if (suggestions.length === 1) return ['unknown_param', unknownName('parameter', shown, last), { nearest: last }]
  const message = `${unknownName('parameter', shown)} Use ${suggestions.slice(0, -1).join(', ')} or ${last}.`
  return ['unknown_param', message, { values: suggestions }]
}

function withoutSuggestion(name: string, declared: readonly string[]): Violation {
  const message = unknownName('parameter', name)
  return declared.length === 0
    ? ['unknown_param', `${message} This address takes no parameters.`]
    : ['unknown_param', `${message} Use one of: ${declared.join(', ')}.`, { values: declared }]
}
