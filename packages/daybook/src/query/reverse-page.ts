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

/** What can be asked of a reverse field's page. */
export const REVERSE_OPTIONS = ['limit', 'offset', 'sort', 'nulls', 'status'] as const

type ReverseOption = (typeof REVERSE_OPTIONS)[number]

/** The options of one reverse field, as they are written. */
export type ReverseOptions = ReadonlyMap<ReverseOption, RawParameter>

/** The options of reverse fields, by the paths under which `include` names them. */
export type ReverseOptionsByPath = ReadonlyMap<string, ReverseOptions>

/** The page of a reverse field, checked against the model. */
export interface ReversePage {
  readonly limit: number
  readonly offset: number
  /** Always ends with the id. */
  readonly sort: readonly SortBy[]
  /** The statuses asked for; `undefined`: any that the reader may see. */
  readonly statuses: readonly string[] | undefined
}

const NAME = /^reverse\[([^[\]]{1,128})\]\[([a-z]{1,16})\]$/

const isOption = (name: string): name is ReverseOption => (REVERSE_OPTIONS as readonly string[]).includes(name)

/** The pages of reverse fields, taken apart. */
export const REVERSE_PARAMETER: Parameter<ReverseOptionsByPath> = {
  description:
    'Which page of an included reverse field is answered, and in which order: `reverse[posts][limit]=5`, and `offset`, `sort`, `nulls` and `status` in the same way, as in a list of its own. Inside an included relation, with its path: `reverse[author.posts][limit]=5`.',
  schema: { type: 'object', additionalProperties: true },
  style: 'brackets',
  nameKind: 'reverses',
  parse: (given, faults) => {
    const pages = new Map<string, Map<ReverseOption, RawParameter>>()
    for (const one of given) {
      const [, path = '', option = ''] = NAME.exec(one.name) ?? []
      if (!isOption(option)) {
        const message = `must be written as reverse[field][option]=value, with ${REVERSE_OPTIONS.join(', ')}`
        faults.add(one.name.slice(0, 64), 'reverse', message, { values: REVERSE_OPTIONS })
        continue
      }
      pages.set(path, (pages.get(path) ?? new Map<ReverseOption, RawParameter>()).set(option, one))
    }
    return pages
  },
}

/** The parameters that say the same as the pages asked for inside the process. */
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

/** The page of a reverse field for which nothing is asked. */
const NOTHING_WRITTEN: ReverseOptions = new Map()

/** Reads which page of a collection's entries a reverse field shows. */
export function readReversePage(
  faults: Faults,
  collection: CollectionModel,
  scope: QueryScope,
  written: ReverseOptions = NOTHING_WRITTEN,
): ReversePage {
  const read = <T>(option: ReverseOption, parameter: Parameter<T>): T | undefined => {
    const given = written.get(option)
    return given && parameter.parse([given], faults)
  }
  const order = { sort: read('sort', SORT), nulls: read('nulls', NULLS_PLACE) }
  const names = { sort: written.get('sort')?.name ?? 'sort', nulls: written.get('nulls')?.name ?? 'nulls' }
  const statuses = read('status', statusParameter(collection.status))
  return {
    limit: Math.min(read('limit', LIMIT) ?? DEFAULT_LIMIT, collection.maxLimit),
    offset: read('offset', OFFSET) ?? 0,
    sort: readSort(faults, names, collection, order, scope),
    statuses: statuses && [...new Set(statuses)].sort(),
  }
}
