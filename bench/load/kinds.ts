import type { EngineName } from '../databases/databases.ts'
import type { Load } from './load.ts'
import type { Targeting } from './plan.ts'

/** A kind of work that is measured. */
export interface Kind {
  /** What `--only` takes. */
  readonly name: string
  readonly title: string
  /** The least share of the floor's speed that Daybook is to reach. */
  readonly target: number
  /** Requests a second that Daybook is to reach, instead of a share of the floor's. */
  readonly perSecond?: number
  /** The status of every answer. */
  readonly status: 200 | 201 | 304
  readonly connections: number
  /** Whether it leaves something behind: Daybook then works on a copy of the store. */
  readonly writes: boolean
  /** What to ask; `from` is the number of the first new post. */
  load(targeting: Targeting, token: string, from: number): Pick<Load, 'paths' | 'posts' | 'headers'>
}

const reading = { status: 200, connections: 10, writes: false } as const
const creating = {
  status: 201,
  writes: true,
  load: ({ list: path, targets }: Targeting, token: string, from: number) => ({
    posts: { path, token, from, targets },
  }),
} as const

const entry: Kind = {
  ...reading,
  name: 'entry',
  title: 'entry by slug',
  target: 0.7,
  load: ({ entries }) => ({ paths: entries }),
}

/** All kinds of work, in the order in which they are measured. */
const LOAD_KINDS: readonly Kind[] = [
  entry,
  {
    ...reading,
    name: 'list',
    title: 'list of the 20 newest, with total',
    target: 0.7,
    load: ({ list }) => ({ paths: [list] }),
  },
  {
    ...reading,
    name: 'page',
    title: 'page of 20 by cursor, anywhere',
    target: 0.7,
    load: ({ pages }) => ({ paths: pages }),
  },
  {
    ...reading,
    name: 'include',
    title: 'list of 20 with include=author',
    target: 0.5,
    load: ({ include }) => ({ paths: [include] }),
  },
  {
    ...reading,
    name: 'reverse',
    title: 'list of 20 authors with their five newest posts',
    target: 0.5,
    load: ({ reverse }) => ({ paths: [reverse] }),
  },
  {
    ...reading,
    name: 'where',
    title: 'list of 20 with a where on an indexed field',
    target: 0.5,
    load: ({ where }) => ({ paths: where }),
  },
  {
    ...reading,
    name: 'localized',
    title: 'localized list of 20',
    target: 0.5,
    load: ({ localized }) => ({ paths: [localized] }),
  },
  {
    ...reading,
    name: 'not-modified',
    title: '304 on a list',
    target: 0.8,
    status: 304,
    load: ({ list, listTag }) => ({ paths: [list], headers: { 'if-none-match': listTag } }),
  },
  { ...creating, name: 'create', title: 'create, durable', target: 0.5, connections: 10 },
  { ...creating, name: 'create-alone', title: 'create, durable, one client', target: 0.5, connections: 1 },
]

/** What another engine changes about a kind of work. */
const CHANGES: Readonly<Record<EngineName, Readonly<Record<string, Partial<Kind>>>>> = {
  sqlite: {},
  postgres: { create: { title: 'create, durable, 16 clients', connections: 16, perSecond: 500 } },
}

/** What is measured on an engine. */
export function kindsOn(engine: EngineName): readonly Kind[] {
  return LOAD_KINDS.map((kind) => ({ ...kind, ...CHANGES[engine][kind.name] }))
}

/**
 * What several nodes are asked, by as many clients each. Fewer of them would keep nodes behind a proxy waiting, and a
 * process that wakes up for every single request uses more processor time than one that finds several.
 */
export const FOR_NODES: Kind = { ...entry, connections: 48, target: 0.9 }
