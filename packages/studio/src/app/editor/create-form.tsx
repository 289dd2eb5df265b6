import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useEffect, useId, useMemo, useState } from 'react'
import { queryKeys } from '../api/query-keys.ts'
import { useStudio } from '../api/studio.ts'
import { useTexts } from '../messages/messages.tsx'
import type { StudioCollection } from '../model/studio-model.ts'
import { Button } from '../ui/controls/button.tsx'
import { LoadingPlaceholder } from '../ui/loading-placeholder.tsx'
import { DialogButtons } from '../ui/overlays/dialog.tsx'
import { generateName } from './document/open-document.ts'
import { createEntrySpec, useDocument, useFrameState } from './document/use-document.ts'
import { FieldList } from './field-list.tsx'
import { useFieldIssues } from './fields/field-editor.ts'
import { useHasFallbacks } from './languages/use-languages.ts'
import type { DocumentEditor } from './saving/document-editor.ts'
import { SavingNotice } from './saving-status.tsx'

export interface CreateFormProps {
  readonly collection: StudioCollection
  /** The first value of the title; may be empty. */
  readonly title: string
  /** The language of the content; empty if it has only one. */
  readonly locale: string
  readonly onCreated: (id: string) => void
  readonly onCancel: () => void
}

/** A form for a new entry in a dialog over another form. Unsaved values stay in this browser, as in any form. */
export function CreateForm(props: CreateFormProps): ReactNode {
  const { collection, locale } = props
  const { clientWithoutRenewal } = useStudio()
  const { t } = useTexts()
  const hasFallbacks = useHasFallbacks(locale)
  const editor = useDocument(() =>
    createEntrySpec(clientWithoutRenewal, collection, { id: null, newId: generateName(), locale, hasFallbacks }),
  )
  return editor ? <OpenForm {...props} editor={editor} /> : <LoadingPlaceholder label={t.common.loading} />
}

function OpenForm({
  collection,
  title,
  editor,
  onCreated,
  onCancel,
}: CreateFormProps & { readonly editor: DocumentEditor }): ReactNode {
  const { fields, statusField, titleField, key } = collection
  const { t } = useTexts()
  const queries = useQueryClient()
  const state = useFrameState(editor)
  const issues = useFieldIssues(state.issues)
  const id = useId()
  const [isCreating, setIsCreating] = useState(false)
  const { isLoaded } = state
  useEffect(() => {
    if (isLoaded && title !== '' && titleField !== undefined) editor.edit([titleField], title)
  }, [editor, isLoaded, title, titleField])
  const formFields = useMemo(() => fields.filter((field) => field.key !== statusField), [fields, statusField])
  const create = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    // Events of a dialog bubble to the form below it in React's tree.
    event.stopPropagation()
    setIsCreating(true)
    await editor.flush()
    setIsCreating(false)
    const { id: createdId } = editor.getState().document
    if (createdId === null) return
    void queries.invalidateQueries({ queryKey: queryKeys.lists(key) })
    onCreated(createdId)
  }
  return (
    <form onSubmit={(event) => void create(event)} noValidate>
      <SavingNotice editor={editor} state={state} />
      <FieldList fields={formFields} editor={editor} issues={issues} isReadOnly={!state.isLoaded} prefix={id} />
      <DialogButtons>
        <Button onPress={onCancel}>{t.common.cancel}</Button>
        <Button type="submit" variant="primary" isPending={isCreating} isDisabled={state.dirty.size === 0}>
          {t.editor.createNow}
        </Button>
      </DialogButtons>
    </form>
  )
}
