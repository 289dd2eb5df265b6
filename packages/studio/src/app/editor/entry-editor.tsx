import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { isFieldShown } from 'daybook/show-if'
import { type FocusEvent, lazy, type ReactNode, Suspense, useEffect, useEffectEvent, useMemo, useState } from 'react'
import { queryKeys } from '../api/query-keys.ts'
import { useStudio } from '../api/studio.ts'
import { useTexts } from '../messages/messages.tsx'
import { getEntryTitle, getNewEntryText, type StudioCollection, type StudioField } from '../model/studio-model.ts'
import { type EntryRights, useEntryRights } from '../model/use-entry-rights.ts'
import { useModel } from '../model/use-model.ts'
import link from '../ui/back-link.module.css'
import { Icon } from '../ui/icon.tsx'
import { LoadingPlaceholder } from '../ui/loading-placeholder.tsx'
import { EntryActions, EntryPreview, EntryStatus } from './actions/entry-actions.tsx'
import { getPublishingState } from './actions/publishing-state.ts'
import { useEntryWork } from './actions/use-entry-work.ts'
import { CreateRelated } from './create-related.tsx'
import { createEntrySpec, useDocument, useFrameState } from './document/use-document.ts'
import { EditorFrame, IssueSummary, LazyConflictPanel, LoadingPage } from './editor-frame.tsx'
import { FieldList } from './field-list.tsx'
import { useFieldIssues } from './fields/field-editor.ts'
import { useFieldTarget } from './focus-field.ts'
import { useLanguageForm } from './languages/use-language-form.tsx'
import { createEntryLanguages, useHasFallbacks } from './languages/use-languages.ts'
import { PresenceBanner, usePresence } from './presence.tsx'
import type { DocumentEditor } from './saving/document-editor.ts'
import type { EditorState } from './saving/editor-state.ts'
import { SidePanel } from './side-panel.tsx'

const UnsavedEntries = lazy(async () => ({ default: (await import('./document/unsaved-entries.tsx')).UnsavedEntries }))

export interface EntryEditorProps {
  readonly collection: StudioCollection
  /** `null` if the entry is not stored yet. */
  readonly id: string | null
  /** The name of an unstored entry in this browser. */
  readonly newId: string
  /** The language of the content; empty for the default. */
  readonly locale: string
  /** The dotted path of the field to focus. */
  readonly field: string | undefined
  /** True to show the source of a translation beside each field. */
  readonly isSourceShown: boolean
  readonly onShowSource: (isShown: boolean) => void
  readonly onStored: (id: string) => void
}

export function EntryEditor(props: EntryEditorProps): ReactNode {
  const { collection, id, newId, locale } = props
  const { clientWithoutRenewal } = useStudio()
  const { t } = useTexts()
  const hasFallbacks = useHasFallbacks(locale)
  const editor = useDocument(() =>
    createEntrySpec(clientWithoutRenewal, collection, { id, newId, locale, hasFallbacks }),
  )
  return editor ? <OpenEntry {...props} editor={editor} /> : <LoadingPlaceholder label={t.common.loading} />
}

interface OpenEntryProps extends EntryEditorProps {
  readonly editor: DocumentEditor
}

function OpenEntry(props: OpenEntryProps): ReactNode {
  const { collection, newId, editor, field, isSourceShown, onShowSource, onStored } = props
  const { t } = useTexts()
  const state = useFrameState(editor)
  useStoredEntry(collection, state, onStored)
  const { label, permissions, statusField, fields } = collection
  const { id } = state.document
  const isStored = id !== null
  const rights = useEntryRights(collection, id, state.tag)
  // After a new entry is created, its form stays visible while the permissions load.
  const [wasStored] = useState(props.id !== null)
  const isWaiting = wasStored && rights.isLoading
  useFieldTarget(state.isLoaded && !isWaiting, field)
  const isReadOnly = !rights.edit
  const { readOnlyFields } = rights
  const formFields = useMemo(() => listFormFields(collection, readOnlyFields), [collection, readOnlyFields])
  const [mainFields, sideFields] = useMemo(() => {
    const { main = [], side = [] } = Object.groupBy(formFields, ({ position }) => position ?? 'main')
    return [main, side]
  }, [formFields])
  const work = useEntryWork(editor, collection, state.values)
  const presentSubjects = usePresence(editor, collection.key, rights.draft ? id : null)
  const { locales } = useModel()
  const publishing = getPublishingState(collection, state, locales?.available ?? [])
  const issues = useFieldIssues([...state.issues, ...work.issues])
  const { client } = useStudio()
  const calls = useMemo(
    () => (id === null ? undefined : createEntryLanguages(client, collection.key, id, statusField !== null)),
    [client, collection.key, id, statusField],
  )
  const {
    bar,
    renderBeside,
    renderBelow,
    getPlaceholder,
    sourceValues = {},
  } = useLanguageForm({
    fields: formFields,
    editor,
    state,
    calls,
    isReadOnly,
    isSourceShown,
    onShowSource,
  })
  if (!state.isLoaded) return <LoadingPage editor={editor} />
  if (isWaiting) return <LoadingPlaceholder label={t.common.loading} />
  const unschedule = (): void =>
    void work.run({
      name: 'unschedule',
      successText: t.publishing.unscheduled,
      savesFirst: false,
      call: (calls, { id }) => calls.unschedule(id).then(() => editor.refresh()),
    })
  return (
    <EditorFrame
      title={
        getEntryTitle(collection, state.values) ??
        getEntryTitle(collection, sourceValues) ??
        (isStored ? t.lists.untitled : getNewEntryText(collection, t))
      }
      above={<BackLink collection={collection} label={label} />}
      editor={editor}
      state={state}
      isAutosaved={statusField !== null}
      isReadOnly={isReadOnly}
      readOnlyReason={isStored && permissions.update !== false ? t.editor.readOnlyEntry : t.editor.readOnly}
      isWide={renderBeside !== undefined}
      onBlur={(event) => createOnLeave(event, collection, editor)}
      actions={
        <>
          <EntryPreview collection={collection} state={state} canCreateToken={rights.restore} />
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
          {!isStored && (
            <Suspense>
              <UnsavedEntries collection={collection} newId={newId} />
            </Suspense>
          )}
          {bar}
          <PresenceBanner subjects={presentSubjects} />
          <LazyConflictPanel fields={fields} editor={editor} state={state} />
          <IssueSummary issues={issues} fields={fields} />
        </>
      }
      side={
        <SidePanel
          collection={collection}
          state={state}
          status={
            <EntryStatus
              collection={collection}
              publishing={publishing}
              onUnschedule={rights.restore ? unschedule : undefined}
            />
          }
        >
          {sideFields.length > 0 && (
            <CreateRelated locale={state.document.locale ?? ''}>
              <FieldList
                fields={sideFields}
                editor={editor}
                issues={issues}
                isReadOnly={isReadOnly}
                renderBelow={renderBelow}
                getPlaceholder={getPlaceholder}
              />
            </CreateRelated>
          )}
        </SidePanel>
      }
    >
      <CreateRelated locale={state.document.locale ?? ''}>
        <FieldList
          fields={mainFields}
          form={collection.form}
          editor={editor}
          issues={issues}
          isReadOnly={isReadOnly}
          renderBeside={renderBeside}
          renderBelow={renderBelow}
          getPlaceholder={getPlaceholder}
        />
      </CreateRelated>
    </EditorFrame>
  )
}

/**
 * Returns the fields of the form, with `writable: false` where the user may not write.
 *
 * @param readOnlyFields `undefined` if only the model restricts writing
 */
function listFormFields(
  { fields, statusField }: StudioCollection,
  readOnlyFields: EntryRights['readOnlyFields'],
): readonly StudioField[] {
  const formFields = fields.filter(({ key }) => key !== statusField)
  if (!readOnlyFields) return formFields
  return formFields.map((field) => (Object.hasOwn(readOnlyFields, field.key) ? { ...field, writable: false } : field))
}

const BackLink = ({
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

/** Reports the id of a new entry once it is stored, and invalidates lists after each save. */
function useStoredEntry(
  { key }: StudioCollection,
  { document, tag }: EditorState,
  onStored: (id: string) => void,
): void {
  const queries = useQueryClient()
  const { id } = document
  const reportStored = useEffectEvent(onStored)
  useEffect(() => {
    if (id !== null) reportStored(id)
  }, [id])
  useEffect(() => {
    if (tag !== null) void queries.invalidateQueries({ queryKey: queryKeys.lists(key), refetchType: 'none' })
  }, [queries, key, tag])
}

/**
 * Creates an entry with a status once a field loses the focus and all required fields are set, so that the slug derives from a complete
 * title.
 */
function createOnLeave(event: FocusEvent, { fields, statusField }: StudioCollection, editor: DocumentEditor): void {
  const { document, dirty, values } = editor.getState()
  const field = event.target.closest('[data-field]')
  const isInside = event.relatedTarget instanceof Node && field?.contains(event.relatedTarget)
  if (document.id !== null || statusField === null || dirty.size === 0 || isInside) return
  const isComplete = fields.every(({ required, showIf, key, writable, from, defaultBy, default: initial }) => {
    const hasOtherValue = !writable || from !== undefined || defaultBy !== undefined || initial !== undefined
    const value = values[key] ?? ''
    return (
      !required || !isFieldShown(showIf, values) || hasOtherValue || typeof value !== 'string' || value.trim() !== ''
    )
  })
  if (isComplete) void editor.flush()
}
