import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { FieldDescription } from 'daybook'
import { type FocusEvent, lazy, type ReactNode, Suspense, useEffect, useEffectEvent, useMemo, useState } from 'react'
import { useTexts } from '../messages/messages.tsx'
import { type StudioCollection, titleOf } from '../model/studio-model.ts'
import { type EntryRights, useEntryRights } from '../model/use-entry-rights.ts'
import { useModel } from '../model/use-model.ts'
import { keys } from '../talk/keys.ts'
import { useStudio } from '../talk/studio.ts'
import link from '../ui/back.module.css'
import { Icon } from '../ui/icon.tsx'
import { Waiting } from '../ui/waiting.tsx'
import { EntryActions } from './actions/entry-actions.tsx'
import { EntryPreview } from './actions/entry-preview.tsx'
import { EntryStatus } from './actions/entry-status.tsx'
import { IssueSummary } from './actions/issue-summary.tsx'
import { publishingStateOf } from './actions/publishing-state.ts'
import { useEntryWork } from './actions/use-entry-work.ts'
import { Meanwhile } from './conflicts/lazy-meanwhile.tsx'
import { CreateThere } from './creating/create-there.tsx'
import { LoadingPage } from './document/loading-page.tsx'
import { useDocument, useFrameState } from './document/use-document.ts'
import { EditorFrame } from './editor-frame.tsx'
import { entrySpec } from './entry-spec.ts'
import { useFieldIssues } from './field-issues.ts'
import { FieldList } from './field-list.tsx'
import { entryLanguages } from './languages/language-calls.ts'
import { useHasFallbacks } from './languages/use-content-locale.ts'
import { useLanguageForm } from './languages/use-language-form.tsx'
import { useFieldTarget } from './places/use-field-target.ts'
import { PresentPeople } from './presence/present-people.tsx'
import { usePresence } from './presence/use-presence.ts'
import type { DocumentEditor } from './saving/document-editor.ts'
import type { EditorState } from './saving/editor-state.ts'

const LeftEntries = lazy(async () => ({ default: (await import('./document/left-entries.tsx')).LeftEntries }))

/** What an {@link EntryEditor} takes. */
export interface EntryEditorProps {
  readonly collection: StudioCollection
  /** `null`: it is not stored yet. */
  readonly id: string | null
  /** The name that an entry that is not stored has in this browser. */
  readonly copy: string
  /** The language of the content; empty: the config's. */
  readonly locale: string
  /** The place that the address leads to. */
  readonly field: string | undefined
  /** Whether the source of a translation stands beside each field. */
  readonly isBeside: boolean
  readonly onBeside: (isBeside: boolean) => void
  /** Told the id of the entry once it is stored. */
  readonly onStored: (id: string) => void
}

/** Opens an entry, stored or not. */
export function EntryEditor(props: EntryEditorProps): ReactNode {
  const { collection, id, copy, locale } = props
  const { ownClient } = useStudio()
  const { t } = useTexts()
  const hasFallbacks = useHasFallbacks(locale)
  const editor = useDocument(() => entrySpec(ownClient, collection, { id, copy, locale, hasFallbacks }))
  return editor ? <OpenEntry {...props} editor={editor} /> : <Waiting label={t.common.loading} />
}

interface OpenEntryProps extends EntryEditorProps {
  readonly editor: DocumentEditor
}

function OpenEntry(props: OpenEntryProps): ReactNode {
  const { collection, copy, editor, field, isBeside, onBeside, onStored } = props
  const { t } = useTexts()
  const state = useFrameState(editor)
  useStoredEntry(collection, state, onStored)
  const { label, permissions, statusField, fields } = collection
  const { id } = state.document
  const isStored = id !== null
  const rights = useEntryRights(collection, id, state.tag)
  // The form of a new entry stays as it is while the rights on the stored one are asked for.
  const [wasStored] = useState(props.id !== null)
  const isWaiting = wasStored && rights.isLoading
  useFieldTarget(state.isLoaded && !isWaiting, field)
  const isReadOnly = !rights.edit
  const { closedFields } = rights
  const shown = useMemo(() => formFieldsOf(collection, closedFields), [collection, closedFields])
  const work = useEntryWork(editor, collection, state.values)
  const others = usePresence(editor, collection.key, rights.draft ? id : null)
  const { locales } = useModel()
  const publishing = publishingStateOf(collection, state, locales?.available ?? [])
  const issues = useFieldIssues([...state.issues, ...work.issues])
  const { client } = useStudio()
  const calls = useMemo(
    () => (id === null ? undefined : entryLanguages(client, collection.key, id, statusField !== null)),
    [client, collection.key, id, statusField],
  )
  const {
    bar,
    beside,
    below,
    placeholderOf,
    sourceValues = {},
  } = useLanguageForm({
    fields: shown,
    editor,
    state,
    calls,
    isReadOnly,
    isBeside,
    onBeside,
  })
  if (!state.isLoaded) return <LoadingPage editor={editor} />
  if (isWaiting) return <Waiting label={t.common.loading} />
  const unschedule = (): void =>
    void work.run({
      name: 'unschedule',
      done: t.publishing.unscheduled,
      isSavedFirst: false,
      call: (calls, { id }) => calls.unschedule(id).then(() => editor.refresh()),
    })
  return (
    <EditorFrame
      title={
        titleOf(collection, state.values) ??
        titleOf(collection, sourceValues) ??
        (isStored ? t.lists.untitled : t.editor.create)
      }
      above={<WayBack collection={collection} label={label} />}
      editor={editor}
      state={state}
      isAutosaved={statusField !== null}
      isReadOnly={isReadOnly}
      whyReadOnly={isStored && permissions.update !== false ? t.editor.readOnlyEntry : t.editor.readOnly}
      isWide={beside !== undefined}
      onBlur={(event) => createOnLeave(event, collection, editor)}
      actions={
        <>
          <EntryPreview collection={collection} state={state} mayMakeToken={rights.restore} />
          <EntryActions
            collection={collection}
            editor={editor}
            state={state}
            publishing={publishing}
            rights={rights}
            work={work}
          />
        </>
      }
      notices={
        <>
          {isStored && <EntryStatus publishing={publishing} onUnschedule={rights.restore ? unschedule : undefined} />}
          {!isStored && (
            <Suspense>
              <LeftEntries collection={collection} copy={copy} />
            </Suspense>
          )}
          {bar}
          <PresentPeople subjects={others} />
          <Meanwhile fields={fields} editor={editor} state={state} />
          <IssueSummary issues={issues} />
        </>
      }
    >
      <CreateThere locale={state.document.locale ?? ''}>
        <FieldList
          fields={shown}
          editor={editor}
          issues={issues}
          isReadOnly={isReadOnly}
          beside={beside}
          below={below}
          placeholderOf={placeholderOf}
        />
      </CreateThere>
    </EditorFrame>
  )
}

/** The fields of a form, those that the person may not write marked so. @param closedFields `undefined`: the model says which those are */
function formFieldsOf(
  { fields, statusField }: StudioCollection,
  closedFields: EntryRights['closedFields'],
): readonly FieldDescription[] {
  const shown = fields.filter(({ key }) => key !== statusField)
  if (!closedFields) return shown
  return shown.map((field) => (Object.hasOwn(closedFields, field.key) ? { ...field, writable: false } : field))
}

const WayBack = ({
  collection,
  label,
}: {
  readonly collection: StudioCollection
  readonly label: string
}): ReactNode => (
  <Link to="/c/$collection" params={{ collection: collection.key }} className={link.back}>
    <Icon name="back" />
    {label}
  </Link>
)

/** Follows a document into the store: its address, and the lists that it is in. */
function useStoredEntry(
  { key }: StudioCollection,
  { document, tag }: EditorState,
  onStored: (id: string) => void,
): void {
  const queries = useQueryClient()
  const { id } = document
  const tell = useEffectEvent(onStored)
  useEffect(() => {
    if (id !== null) tell(id)
  }, [id])
  useEffect(() => {
    if (tag !== null) void queries.invalidateQueries({ queryKey: keys.lists(key), refetchType: 'none' })
  }, [queries, key, tag])
}

/** Creates an entry with a status once a field is left, and all that must be there is: its slug is made from a whole title. */
function createOnLeave(event: FocusEvent, { fields, statusField }: StudioCollection, editor: DocumentEditor): void {
  const { document, dirty, values } = editor.getState()
  const field = event.target.closest('[data-field]')
  const isInside = event.relatedTarget instanceof Node && field?.contains(event.relatedTarget)
  if (document.id !== null || statusField === null || dirty.size === 0 || isInside) return
  const isComplete = fields.every(({ required, key, writable, from, defaultBy, default: initial }) => {
    const isMade = !writable || from !== undefined || defaultBy !== undefined || initial !== undefined
    const value = values[key] ?? ''
    return !required || isMade || typeof value !== 'string' || value.trim() !== ''
  })
  if (isComplete) void editor.flush()
}
