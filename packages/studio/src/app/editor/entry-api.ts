import type { StudioCollection } from '../model/studio-model.ts'
import type { StudioClient } from '../talk/client.ts'
import type { Values } from './saving/saved-field.ts'

/** An entry, as it was answered; it remembers its tag. */
export interface StoredEntry extends Values {
  readonly id: string
}

/** What the editor asks of the service about one entry. */
export interface EntryApi {
  /** The working copy where there is one, else the entry; `null`: it is not there. */
  read(id: string, signal: AbortSignal): Promise<StoredEntry | null>
  create(values: Values): Promise<StoredEntry>
  /** Saves the working copy, or the entry itself where its collection has no status. @param tag of the version that was changed */
  save(entry: StoredEntry, changes: Values, tag: string): Promise<StoredEntry>
  publish(id: string): Promise<StoredEntry>
}

/** The requests about entries of a collection; what is typed comes from the model, which types know nothing of. */
export function entryApi(client: StudioClient, { key, statusField }: StudioCollection): EntryApi {
  const entries = client.collections[key]
  if (!entries) throw new TypeError(`there is no collection ${key}`)
  const hasDrafts = statusField !== null
  const read = (id: string, signal?: AbortSignal): Promise<StoredEntry | null> =>
    entries.findById(id, hasDrafts ? { draft: true } : {}, signal ? { signal } : {})
  return {
    read,
    create: (values) => entries.create(hasDrafts ? { [statusField]: 'draft', ...values } : values),
    save: (entry, changes, ifMatch) =>
      hasDrafts ? entries.saveDraft(entry.id, changes, { ifMatch }) : entries.update(entry.id, changes, { ifMatch }),
    publish: async (id) => {
      await entries.publish(id)
      return (await read(id)) as StoredEntry
    },
  }
}
