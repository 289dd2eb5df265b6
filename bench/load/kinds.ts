import type { Load } from './load.ts'
import type { Targeting } from './plan.ts'

/** A kind of work that is measured. */
export interface Kind {
  /** What `--only` takes. */
  readonly name: string
  readonly title: string
  /** The status of every answer. */
  readonly status: 200 | 201 | 304
  readonly connections: number
  /** Whether it leaves something behind: Daybook then works on a copy of the store. */
  readonly writes: boolean
  /** What to ask; `from` is the number of the first new post. */
  load(targeting: Targeting, token: string, from: number): Pick<Load, 'paths' | 'tags' | 'posts'>
}

/** A bare server that Daybook is held against. */
export type FloorName = 'lean' | 'replay'

/** Daybook as it starts, which keeps answers, and without that. */
export type Keeping = 'kept' | 'nothing kept'

/** What Daybook is to reach beside a floor. */
export interface Demand {
  readonly keeping: Keeping
  readonly floor: FloorName
  /** The least share of the floor's speed. */
  readonly target: number
}

/** A kind of work that floors can do, too. */
export interface FloorKind extends Kind {
  readonly demands: readonly Demand[]
}

const reading = { status: 200, connections: 10, writes: false } as const
const creating = {
  status: 201,
  writes: true,
  load: ({ list: path, targets }: Targeting, token: string, from: number) => ({
    posts: { path, token, from, targets },
  }),
} as const
const notModified = { ...reading, status: 304, demands: [demand('kept', 'lean', 0.7)] } as const

function demand(keeping: Keeping, floor: FloorName, target: number): Demand {
  return { keeping, floor, target }
}

/** Of answers that are asked for again, of those that are made each time, and beside Daybook's own statements. */
const demands = (again: number, each: number, replay: number): readonly Demand[] => [
  demand('kept', 'lean', again),
  demand('nothing kept', 'lean', each),
  demand('nothing kept', 'replay', replay),
]
const replayed = [demand('nothing kept', 'replay', 0.5)]

const entry: FloorKind = {
  ...reading,
  name: 'entry',
  title: 'entry by slug',
  demands: demands(1, 0.75, 0.7),
  load: ({ entries }) => ({ paths: entries }),
}

/** The search that is also timed, and held against another checkout. */
export const SEARCH: FloorKind = {
  ...reading,
  name: 'search',
  title: 'search for the commonest word',
  demands: replayed,
  load: ({ search }) => ({ paths: [search] }),
}

/** All kinds of work, in the order in which they are measured. */
export const KINDS: readonly FloorKind[] = [
  entry,
  {
    ...reading,
    name: 'list',
    title: 'list of the 20 newest, with total',
    demands: demands(1.5, 0.75, 0.7),
    load: ({ list }) => ({ paths: [list] }),
  },
  {
    ...reading,
    name: 'page',
    title: 'page of 20 by cursor, anywhere',
    demands: demands(1.5, 0.75, 0.7),
    load: ({ pages }) => ({ paths: pages }),
  },
  {
    ...reading,
    name: 'include',
    title: 'list of 20 with include=author',
    demands: demands(1.5, 0.75, 0.5),
    load: ({ include }) => ({ paths: [include] }),
  },
  {
    ...reading,
    name: 'reverse',
    title: 'list of 20 authors with their five newest posts',
    demands: replayed,
    load: ({ reverse }) => ({ paths: [reverse] }),
  },
  {
    ...reading,
    name: 'where',
    title: 'list of 20 with a where on an indexed field',
    demands: replayed,
    load: ({ where }) => ({ paths: where }),
  },
  {
    ...reading,
    name: 'localized',
    title: 'localized list of 20',
    demands: replayed,
    load: ({ localized }) => ({ paths: [localized] }),
  },
  SEARCH,
  {
    ...notModified,
    name: 'entry-not-modified',
    title: '304 on an entry',
    load: ({ entries, entryTags }) => ({ paths: entries.slice(0, entryTags.length), tags: entryTags }),
  },
  {
    ...notModified,
    name: 'not-modified',
    title: '304 on a list',
    load: ({ list, listTag }) => ({ paths: [list], tags: [listTag] }),
  },
  {
    ...creating,
    name: 'create',
    title: 'create, durable, 8 clients',
    demands: [demand('kept', 'lean', 0.75)],
    connections: 8,
  },
  {
    ...creating,
    name: 'create-alone',
    title: 'create, durable, one client',
    demands: [demand('kept', 'lean', 0.5)],
    connections: 1,
  },
]

/** At 1,000,000 entries an insert of Daybook's has larger indexes to keep, and the floor's has none. */
const LARGE: Readonly<Record<string, number>> = { create: 0.5, 'create-alone': 0.4 }
const LARGE_STORE = 1_000_000

/** What a kind is to reach on a store of so many entries. */
export function demandsOn({ name, demands: some }: FloorKind, entries: number): readonly Demand[] {
  const target = entries >= LARGE_STORE ? LARGE[name] : undefined
  return target === undefined ? some : some.map((one) => ({ ...one, target }))
}

/**
 * What several nodes are asked, by as many clients each. Fewer of them would keep nodes behind a proxy waiting, and a
 * process that wakes up for every single request uses more processor time than one that finds several.
 */
export const FOR_NODES: Kind = { ...entry, connections: 48 }
