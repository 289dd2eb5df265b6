import type { StudioCollection } from '../model/studio-model.ts'
import type { StudioClient } from '../talk/client.ts'
import { PUBLISHED } from './actions/publishing-state.ts'
import type { DocumentSpec } from './document/use-document.ts'
import type { DocumentName } from './saving/copies/local-copies.ts'
import { leavesOf } from './saving/document-fields.ts'
import { type EntryCalls, remoteEntries } from './saving/remote.ts'

/** What the address of an entry says. */
interface EntryPlace {
  readonly id: string | null
  readonly copy: string
  readonly locale: string
  /** Whether readers see another language where this one has no value. */
  readonly hasFallbacks: boolean
}

/** How an entry is opened: its working copy where it can have one. */
export function entrySpec(client: StudioClient, collection: StudioCollection, place: EntryPlace): DocumentSpec {
  const { key, statusField, fields } = collection
  const { id, copy } = place
  const locale = place.locale === '' ? {} : { locale: place.locale }
  const hasDrafts = statusField !== null
  const hidden = hiddenStatus(collection)
  const entries = client.collections[key] as unknown as EntryCalls
  const document: DocumentName = { collection: key, id, ...(id === null ? { newId: copy } : {}), ...locale }
  return {
    document,
    liveKey: key,
    leaves: leavesOf(fields, { except: hasDrafts ? [statusField] : [] }),
    remote: remoteEntries(entries, {
      ...locale,
      hasFallbacks: place.hasFallbacks,
      hasDrafts,
      ...(hasDrafts && hidden !== undefined ? { initial: { [statusField]: hidden } } : {}),
    }),
    isAutosaved: hasDrafts,
    isCreatedWhenAsked: true,
  }
}

/** The status of a new entry: one that readers do not see; `undefined`: there is none. */
function hiddenStatus({ fields, statusField }: StudioCollection): string | undefined {
  const options = fields.find(({ key }) => key === statusField)?.options ?? []
  return options.find((one) => one !== PUBLISHED)
}
