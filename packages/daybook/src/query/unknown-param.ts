import { nearest } from '../nearest.ts'

/** Names of other systems, each with the parameter that does the same here. */
const OTHER_PARAMETER_NAMES: Readonly<Record<string, string>> = {
  page: 'offset or cursor',
  skip: 'offset',
  start: 'offset',
  after: 'cursor',
  per_page: 'limit',
  perpage: 'limit',
  pagesize: 'limit',
  page_size: 'limit',
  size: 'limit',
  take: 'limit',
  first: 'limit',
  populate: 'include',
  expand: 'include',
  embed: 'include',
  with: 'include',
  fields: 'select',
  projection: 'select',
  order: 'sort',
  orderby: 'sort',
  order_by: 'sort',
  search: 'q',
  query: 'q',
  lang: 'locale',
  language: 'locale',
  filter: 'where[field][operator]=value',
  filters: 'where[field][operator]=value',
  pagination: 'limit, and offset or cursor',
}

/** The advice about a parameter that a route does not take. */
export function adviceOnParam(name: string, known: readonly string[]): string {
  const [word = ''] = name.toLowerCase().replace(/^\$/, '').split('[')
  const meant = Object.hasOwn(OTHER_PARAMETER_NAMES, word) ? OTHER_PARAMETER_NAMES[word] : undefined
  const [first = ''] = meant?.split(/\W/) ?? []
  const advice = first !== '' && known.some((one) => one.startsWith(first)) ? meant : nearest(word, known)
  if (advice !== undefined) return `there is no such parameter; write ${advice}`
  return known.length === 0
    ? 'there is no such parameter; this address takes none'
    : `there is no such parameter; write one of: ${known.join(', ')}`
}
