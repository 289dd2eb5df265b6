import { startTransition, useEffect, useState, useSyncExternalStore } from 'react'
import type { StudioClient } from '../../api/client.ts'
import type { LiveChange } from '../../api/live-changes.ts'
import type { Emitter } from '../../api/observable.ts'
import { useStudio } from '../../api/studio.ts'
import type { StudioCollection } from '../../model/studio-model.ts'
import { useSession } from '../../session/use-session.ts'
import { PUBLISHED } from '../actions/publishing-state.ts'
import type { DocumentEditor } from '../saving/document-editor.ts'
import { listLeaves } from '../saving/document-fields.ts'
import type { EditorState } from '../saving/editor-state.ts'
import type { DocumentRef } from '../saving/local-copies.ts'
import { createEntryStore, type EntryCalls } from '../saving/remote.ts'
import { type DocumentOptions, openDocument } from './open-document.ts'
import { useSessionRenewal } from './session-renewal.ts'

/** Which document is opened: all but who opens it. */
export interface DocumentSpec extends Omit<DocumentOptions, 'person'> {
  /** The key that live events name it by: of its collection, or `globals`. */
  readonly liveKey: string
}

/**
 * Opens a document for as long as its component is shown. What is not stored when it goes stays in this browser.
 *
 * @param make called once: another document needs another `key` of the component
 */
export function useDocument(make: () => DocumentSpec): DocumentEditor | undefined {
  const { changes } = useStudio()
  const { identity } = useSession()
  // What was opened belongs to the person who opened it, also when another one signs in.
  const [spec] = useState(() => ({ ...make(), person: identity?.subject ?? '' }))
  const [editor, setEditor] = useState<DocumentEditor>()
  useEffect(() => {
    const own = openDocument(spec)
    setEditor(own)
    const unwatch = watchPage(own, { changes, collection: spec.liveKey, isAutosaved: spec.isAutosaved })
    void own.start()
    return () => {
      unwatch()
      own.close()
    }
  }, [spec, changes])
  useSessionRenewal(editor)
  return editor
}

/** What an editor shows, drawn anew at once when it changes: for fields, and for what says how far saving has come. */
export const useEditorState = ({ subscribe, getState }: DocumentEditor): EditorState =>
  useSyncExternalStore(subscribe, getState)

/** The same for what stands around the fields: it is drawn after them, so that it holds up no key. */
export function useFrameState({ subscribe, getState }: DocumentEditor): EditorState {
  const [state, setState] = useState(getState)
  useEffect(() => {
    const take = (): void => startTransition(() => setState(getState()))
    // It may have changed since it was drawn first.
    take()
    return subscribe(take)
  }, [subscribe, getState])
  return state
}

/** What of the page an editor is told. */
interface WatchOptions {
  readonly changes: Emitter<LiveChange>
  /** The key of a collection, or `globals`, as live events have it. */
  readonly collection: string
  /** Whether what is typed is saved when the tab is hidden. */
  readonly isAutosaved: boolean
}

/** Tells an editor what happens around it: the network comes back, the tab is left or looked at again, others change the document. @returns ends that */
function watchPage(editor: DocumentEditor, { changes, collection, isAutosaved }: WatchOptions): () => void {
  const ending = new AbortController()
  const { signal } = ending
  const isStored = (): boolean => editor.getState().document.id !== null
  window.addEventListener('online', () => void editor.online(), { signal })
  document.addEventListener(
    'visibilitychange',
    () => {
      if (document.visibilityState === 'visible') void editor.refresh()
      else if (isAutosaved && isStored() && editor.getState().dirty.size > 0) void editor.flush()
    },
    { signal },
  )
  const unsubscribe = changes.subscribe((change) => {
    const isThis = change.collection === collection && change.id === editor.getState().document.id
    if (isThis) void editor.refresh()
  })
  return () => {
    ending.abort()
    unsubscribe()
  }
}

/** What the address of an entry says. */
interface EntryPlace {
  readonly id: string | null
  readonly copy: string
  readonly locale: string
  /** Whether readers see another language where this one has no value. */
  readonly hasFallbacks: boolean
}

/** How an entry is opened: its working copy where it can have one. */
export function createEntrySpec(client: StudioClient, collection: StudioCollection, place: EntryPlace): DocumentSpec {
  const { key, statusField, fields } = collection
  const { id, copy } = place
  const locale = place.locale === '' ? {} : { locale: place.locale }
  const hasDrafts = statusField !== null
  const hidden = hiddenStatus(collection)
  const entries = client.collections[key] as unknown as EntryCalls
  const document: DocumentRef = { collection: key, id, ...(id === null ? { newId: copy } : {}), ...locale }
  return {
    document,
    liveKey: key,
    leaves: listLeaves(fields, { except: hasDrafts ? [statusField] : [] }),
    remote: createEntryStore(entries, {
      ...locale,
      hasFallbacks: place.hasFallbacks,
      hasDrafts,
      ...(hasDrafts && hidden !== undefined ? { initial: { [statusField]: hidden } } : {}),
    }),
    isAutosaved: hasDrafts,
    isCreatedOnFlush: true,
  }
}

/** The status of a new entry: one that readers do not see; `undefined`: there is none. */
function hiddenStatus({ fields, statusField }: StudioCollection): string | undefined {
  const options = fields.find(({ key }) => key === statusField)?.options ?? []
  return options.find((one) => one !== PUBLISHED)
}
