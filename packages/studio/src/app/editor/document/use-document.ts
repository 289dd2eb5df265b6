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

/** The document to open, without the user who opens it. */
export interface DocumentSpec extends Omit<DocumentOptions, 'person'> {
  /** The key that live events use: that of the collection, or `globals`. */
  readonly liveKey: string
}

/**
 * Opens a document while the component is mounted. Unsaved edits stay in this browser.
 *
 * @param make called once; for another document, change the `key` of the component
 */
export function useDocument(make: () => DocumentSpec): DocumentEditor | undefined {
  const { changes } = useStudio()
  const { identity } = useSession()
  // The document belongs to the user who opened it, even if another one signs in.
  const [spec] = useState(() => ({ ...make(), person: identity?.subject ?? '' }))
  const [editor, setEditor] = useState<DocumentEditor>()
  useEffect(() => {
    const openedEditor = openDocument(spec)
    setEditor(openedEditor)
    const unwatch = watchPage(openedEditor, { changes, collection: spec.liveKey, isAutosaved: spec.isAutosaved })
    void openedEditor.start()
    return () => {
      unwatch()
      openedEditor.close()
    }
  }, [spec, changes])
  useSessionRenewal(editor)
  return editor
}

/** Returns the state of an editor, and renders changes at once: for fields and the saving status. */
export const useEditorState = ({ subscribe, getState }: DocumentEditor): EditorState =>
  useSyncExternalStore(subscribe, getState)

/** Returns the state for everything around the fields. It renders in a transition, so that it does not delay typing. */
export function useFrameState({ subscribe, getState }: DocumentEditor): EditorState {
  const [state, setState] = useState(getState)
  useEffect(() => {
    const update = (): void => startTransition(() => setState(getState()))
    // The state may have changed since the first render.
    update()
    return subscribe(update)
  }, [subscribe, getState])
  return state
}

interface WatchOptions {
  readonly changes: Emitter<LiveChange>
  /** The key that live events use: that of the collection, or `globals`. */
  readonly collection: string
  /** True if edits are saved when the tab is hidden. */
  readonly isAutosaved: boolean
}

/**
 * Informs an editor about its page: the network returns, the tab is hidden or shown, or others change the document.
 *
 * @returns a function that stops this
 */
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
    const isThisDocument = change.collection === collection && change.id === editor.getState().document.id
    if (isThisDocument) void editor.refresh()
  })
  return () => {
    ending.abort()
    unsubscribe()
  }
}

/** The identity of an entry, as its URL states it. */
interface EntryLocation {
  readonly id: string | null
  /** The name of an unstored entry in this browser. */
  readonly newId: string
  readonly locale: string
  /** True if missing values fall back to another language. */
  readonly hasFallbacks: boolean
}

/** Describes how to open an entry: as a draft if its collection has drafts. */
export function createEntrySpec(
  client: StudioClient,
  collection: StudioCollection,
  { id, newId, hasFallbacks, ...location }: EntryLocation,
): DocumentSpec {
  const { key, statusField, fields } = collection
  const locale = location.locale === '' ? {} : { locale: location.locale }
  const hasDrafts = statusField !== null
  const initialStatus = findHiddenStatus(collection)
  const entries = client.collections[key] as unknown as EntryCalls
  const document: DocumentRef = { collection: key, id, ...(id === null ? { newId } : {}), ...locale }
  return {
    document,
    liveKey: key,
    leaves: listLeaves(fields, { except: hasDrafts ? [statusField] : [] }),
    remote: createEntryStore(entries, {
      ...locale,
      hasFallbacks,
      hasDrafts,
      ...(hasDrafts && initialStatus !== undefined ? { initial: { [statusField]: initialStatus } } : {}),
    }),
    isAutosaved: hasDrafts,
    isCreatedOnFlush: true,
  }
}

/** Returns the status for a new entry, one that is not public, or `undefined` if there is none. */
function findHiddenStatus({ fields, statusField }: StudioCollection): string | undefined {
  const options = fields.find(({ key }) => key === statusField)?.options ?? []
  return options.find((option) => option !== PUBLISHED)
}
