import type { FieldDescription } from 'daybook'
import { getEntryTitle, type StudioCollection } from '../../../model/studio-model.ts'
import { isRecord } from '../../saving/field-values.ts'

export interface Reference {
  readonly collection: string
  readonly id: string
}

/** Returns the target collections of a relation that the user may read. */
export const getTargets = ({ relation }: Pick<FieldDescription, 'relation'>): readonly string[] =>
  [relation?.to ?? []].flat()

/** Returns true if the references of a relation name their collection. */
const namesCollection = ({ relation }: Pick<FieldDescription, 'relation'>): boolean => Array.isArray(relation?.to)

export function readReferences(field: Pick<FieldDescription, 'relation'>, value: unknown): readonly Reference[] {
  const [onlyTarget = ''] = getTargets(field)
  const items = Array.isArray(value) ? value : [value]
  return items.flatMap((item) => {
    if (typeof item === 'string' && item !== '') return [{ collection: onlyTarget, id: item }]
    const isReference = isRecord(item) && typeof item.collection === 'string' && typeof item.id === 'string'
    return isReference ? [{ collection: String(item.collection), id: String(item.id) }] : []
  })
}

export function toRelationValue(
  field: Pick<FieldDescription, 'relation' | 'many'>,
  references: readonly Reference[],
): unknown {
  const values = references.map(({ collection, id }) => (namesCollection(field) ? { collection, id } : id))
  return field.many ? values : (values[0] ?? null)
}

export const getReferenceKey = ({ collection, id }: Reference): string => `${collection}/${id}`

interface TitledItem {
  readonly id: string
  readonly [key: string]: unknown
}

export interface TargetTitle {
  /** `undefined` if the entry has no title. */
  readonly title: string | undefined
  readonly status: string | undefined
}

type LoadEntries = (collection: StudioCollection, ids: readonly string[]) => Promise<readonly TitledItem[]>

interface PendingTitles {
  readonly collection: StudioCollection
  readonly titles: Map<string, PromiseWithResolvers<TargetTitle | null>>
}

/** The time during which ids are collected for one request, in milliseconds. */
const COLLECT_MS = 8

/** Loads titles by id, in one request per collection for ids that are requested together. */
export class TitleLoader {
  readonly #loadEntries: LoadEntries
  #pending = new Map<string, PendingTitles>()

  constructor(loadEntries: LoadEntries) {
    this.#loadEntries = loadEntries
  }

  /** Resolves to `null` if the entry does not exist, or the user may not read it. */
  load(collection: StudioCollection, id: string): Promise<TargetTitle | null> {
    if (this.#pending.size === 0) setTimeout(() => this.#flush(), COLLECT_MS)
    const pending = this.#pending.get(collection.key) ?? { collection, titles: new Map() }
    this.#pending.set(collection.key, pending)
    const title = pending.titles.get(id) ?? Promise.withResolvers<TargetTitle | null>()
    pending.titles.set(id, title)
    return title.promise
  }

  #flush(): void {
    const pending = [...this.#pending.values()]
    this.#pending = new Map()
    for (const { collection, titles } of pending) {
      const ids = [...titles.keys()]
      for (let start = 0; start < ids.length; start += collection.maxLimit) {
        void this.#loadPage(collection, ids.slice(start, start + collection.maxLimit), titles)
      }
    }
  }

  async #loadPage(
    collection: StudioCollection,
    ids: readonly string[],
    titles: PendingTitles['titles'],
  ): Promise<void> {
    try {
      const items = new Map((await this.#loadEntries(collection, ids)).map((item) => [item.id, item]))
      for (const id of ids) titles.get(id)?.resolve(toTitle(collection, items.get(id)))
    } catch (error) {
      for (const id of ids) titles.get(id)?.reject(error)
    }
  }
}

function toTitle(collection: StudioCollection, item: TitledItem | undefined): TargetTitle | null {
  if (!item) return null
  const status = collection.statusField === null ? undefined : item[collection.statusField]
  return { title: getEntryTitle(collection, item), status: typeof status === 'string' ? status : undefined }
}
