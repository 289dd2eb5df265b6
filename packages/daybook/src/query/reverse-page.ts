import type { CollectionModel } from '../model/model.ts'
import {
  countParameter,
  enumParameter,
  type Faults,
  namesParameter,
  type Parameter,
  type RawParameter,
} from './parameters.ts'
import { DEFAULT_LIMIT, NULLS, readSort, type SortBy, statusParameter } from './sort-order.ts'
import type { QueryScope } from './where.ts'

export const REVERSE_OPTIONS = ['limit', 'offset', 'sort', 'nulls', 'status'] as const

type ReverseOption = (typeof REVERSE_OPTIONS)[number]

export type ReverseOptions = ReadonlyMap<ReverseOption, RawParameter>

/** The raw options of reverse fields, by their paths in `include`. */
export type ReverseOptionsByPath = ReadonlyMap<string, ReverseOptions>

/** The page of a reverse field, checked against the model. */
export interface ReversePage {
  readonly limit: number
  readonly offset: number
  /** The sort keys, which end with the id. */
  readonly sort: readonly SortBy[]
  /** The requested statuses; `undefined` for all that the caller can see. */
  readonly statuses: readonly string[] | undefined
}

const NAME = /^reverse\[([^[\]]{1,128})\]\[([a-z]{1,16})\]$/

const isOption = (name: string): name is ReverseOption => (REVERSE_OPTIONS as readonly string[]).includes(name)

export const REVERSE_PARAMETER: Parameter<ReverseOptionsByPath> = {
  description:
    'The page and the order of an included reverse field: `reverse[posts][limit]=5`, and `offset`, `sort`, `nulls` and `status` in the same way, as in a list of its own. Inside an included relation, with its path: `reverse[author.posts][limit]=5`.',
  schema: { type: 'object', additionalProperties: true },
  style: 'brackets',
  nameKind: 'reverses',
  parse: (raw, faults) => {
    const pages = new Map<string, Map<ReverseOption, RawParameter>>()
    for (const parameter of raw) {
      const [, path = '', option = ''] = NAME.exec(parameter.name) ?? []
      if (!isOption(option)) {
        const message = `must be written as reverse[field][option]=value. The options are: ${REVERSE_OPTIONS.join(', ')}.`
        faults.add(parameter.name.slice(0, 64), 'reverse', message, { values: REVERSE_OPTIONS })
        continue
      }
      pages.set(path, (pages.get(path) ?? new Map<ReverseOption, RawParameter>()).set(option, parameter))
    }
    return pages
  },
}

/** Converts the pages of an in-process call to parameters. */
export const toReverseParams = (pages: Readonly<Record<string, object>>): readonly (readonly [string, string])[] =>
  Object.entries(pages).flatMap(([path, page]) =>
    Object.entries(page)
      .filter(([, value]) => value !== undefined)
      .map(([option, value]) => [`reverse[${path}][${option}]`, String(value)] as const),
  )

const LIMIT = countParameter('')
const OFFSET = countParameter('')
const SORT = namesParameter('', {})
const NULLS_PLACE = enumParameter('', NULLS)

/** The options of a reverse field without options. */
const NO_OPTIONS: ReverseOptions = new Map()

export function readReversePage(
  faults: Faults,
  collection: CollectionModel,
  scope: QueryScope,
  options: ReverseOptions = NO_OPTIONS,
): ReversePage {
  const read = <T>(option: ReverseOption, parameter: Parameter<T>): T | undefined => {
    const raw = options.get(option)
    return raw && parameter.parse([raw], faults)
  }
  const order = { sort: read('sort', SORT), nulls: read('nulls', NULLS_PLACE) }
  const names = { sort: options.get('sort')?.name ?? 'sort', nulls: options.get('nulls')?.name ?? 'nulls' }
  const statuses = read('status', statusParameter(collection.status))
  return {
    limit: Math.min(read('limit', LIMIT) ?? DEFAULT_LIMIT, collection.maxLimit),
    offset: read('offset', OFFSET) ?? 0,
    sort: readSort(faults, names, collection, order, scope),
    statuses: statuses && [...new Set(statuses)].sort(),
  }
}
