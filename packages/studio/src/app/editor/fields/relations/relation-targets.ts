import type { FieldDescription } from 'daybook'
import { getEntryTitle, type StudioCollection } from '../../../model/studio-model.ts'
import { isRecord } from '../../saving/field-values.ts'

/** An entry that a relation leads to. */
export interface Reference {
  readonly collection: string
  readonly id: string
}

/** The collections that a relation leads to, as far as the session may read them. */
export const getTargets = ({ relation }: Pick<FieldDescription, 'relation'>): readonly string[] =>
  [relation?.to ?? []].flat()

/** Whether the references of a relation name their collection. */
const isTagged = ({ relation }: Pick<FieldDescription, 'relation'>): boolean => Array.isArray(relation?.to)

/** The references that a value holds, in order. */
export function readReferences(field: Pick<FieldDescription, 'relation'>, value: unknown): readonly Reference[] {
  const [only = ''] = getTargets(field)
  const all = Array.isArray(value) ? value : [value]
  return all.flatMap((one) => {
    if (typeof one === 'string' && one !== '') return [{ collection: only, id: one }]
    const isReference = isRecord(one) && typeof one.collection === 'string' && typeof one.id === 'string'
    return isReference ? [{ collection: String(one.collection), id: String(one.id) }] : []
  })
}

/** The value that holds references. */
export function toRelationValue(
  field: Pick<FieldDescription, 'relation' | 'many'>,
  references: readonly Reference[],
): unknown {
  const values = references.map((one) => (isTagged(field) ? { collection: one.collection, id: one.id } : one.id))
  return field.many ? values : (values[0] ?? null)
}

/** One text for each entry. */
export const getReferenceKey = ({ collection, id }: Reference): string => `${collection}/${id}`

/** An entry, as a list answers it. */
interface TitledItem {
  readonly id: string
  readonly [key: string]: unknown
}

/** What is shown in the place of an id. */
export interface TargetTitle {
  /** `undefined`: it has no title. */
  readonly title: string | undefined
  readonly status: string | undefined
}

/** Asks for entries of a collection by their ids. */
type AskForTitles = (collection: StudioCollection, ids: readonly string[]) => Promise<readonly TitledItem[]>

interface Waiting {
  readonly collection: StudioCollection
  readonly asked: Map<string, PromiseWithResolvers<TargetTitle | null>>
}

/** How long titles are gathered before they are asked for together, in milliseconds. */
const GATHER_MS = 8

/** Looks titles up by id: those of one moment take one request for each collection. */
export class TitleLoader {
  readonly #ask: AskForTitles
  #waiting = new Map<string, Waiting>()

  constructor(ask: AskForTitles) {
    this.#ask = ask
  }

  /** @returns `null`: it is not there, or the session may not see it */
  load(collection: StudioCollection, id: string): Promise<TargetTitle | null> {
    if (this.#waiting.size === 0) setTimeout(() => this.#flush(), GATHER_MS)
    const waiting = this.#waiting.get(collection.key) ?? { collection, asked: new Map() }
    this.#waiting.set(collection.key, waiting)
    const found = waiting.asked.get(id) ?? Promise.withResolvers<TargetTitle | null>()
    waiting.asked.set(id, found)
    return found.promise
  }

  #flush(): void {
    const all = [...this.#waiting.values()]
    this.#waiting = new Map()
    for (const { collection, asked } of all) {
      const ids = [...asked.keys()]
      for (let at = 0; at < ids.length; at += collection.maxLimit) {
        void this.#answer(collection, ids.slice(at, at + collection.maxLimit), asked)
      }
    }
  }

  async #answer(collection: StudioCollection, ids: readonly string[], asked: Waiting['asked']): Promise<void> {
    try {
      const items = new Map((await this.#ask(collection, ids)).map((item) => [item.id, item]))
      for (const id of ids) asked.get(id)?.resolve(toTitle(collection, items.get(id)))
    } catch (error) {
      for (const id of ids) asked.get(id)?.reject(error)
    }
  }
}

function toTitle(collection: StudioCollection, item: TitledItem | undefined): TargetTitle | null {
  if (!item) return null
  const status = collection.statusField === null ? undefined : item[collection.statusField]
  return { title: getEntryTitle(collection, item), status: typeof status === 'string' ? status : undefined }
}
