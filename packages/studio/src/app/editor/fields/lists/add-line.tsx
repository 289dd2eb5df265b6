import { type FocusEvent, type KeyboardEvent, type ReactNode, useMemo, useState } from 'react'
import { useTexts } from '../../../messages/messages.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { FormDocumentContext, useFormDocument } from '../../form-document.ts'
import type { FieldPath } from '../../saving/field-path.ts'
import type { FieldEditorProps } from '../field-editor.ts'
import type { ItemKind } from './item-kinds.ts'
import styles from './list.module.css'
import type { ListCommands } from './list-commands.ts'

/** What an {@link AddLine} takes. */
export interface AddLineProps extends Pick<FieldEditorProps, 'label' | 'place' | 'Field'> {
  readonly kind: ItemKind
  readonly commands: ListCommands
}

/** Types whose values are whole as soon as they are chosen. */
const CHOSEN: ReadonlySet<string> = new Set(['select', 'boolean', 'status'])
const NOWHERE: FieldPath = []

/** A line for one more value: it belongs to the list once it is left, or Enter is pressed, so that no empty value is stored. */
export function AddLine({ kind, label, place, commands, Field }: AddLineProps): ReactNode {
  const { t } = useTexts()
  const form = useFormDocument()
  const [draft, setDraft] = useState<unknown>(null)
  const { type } = kind.description
  const document = useMemo(
    () => ({
      ...form,
      edit: (_: FieldPath, value: unknown) => (CHOSEN.has(type) ? commands.append(value) : setDraft(value)),
    }),
    [form, type, commands],
  )
  const isEmpty = draft === null || draft === ''
  const take = (): void => {
    if (isEmpty) return
    commands.append(draft)
    setDraft(null)
  }
  const onBlur = (event: FocusEvent<HTMLElement>): void => {
    if (!event.currentTarget.contains(event.relatedTarget)) take()
  }
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    if (event.key !== 'Enter' || isEmpty || CHOSEN.has(type)) return
    event.preventDefault()
    take()
  }
  return (
    <div
      role="group"
      aria-label={t.fields.addTo(label)}
      className={styles.addLine}
      data-part="add"
      data-labels="hidden"
      onBlur={onBlur}
      onKeyDown={onKeyDown}
    >
      <Icon name="plus" />
      <FormDocumentContext value={document}>
        <Field
          description={kind.description}
          path={NOWHERE}
          place={`${place}.new`}
          value={draft}
          label={t.fields.addTo(label)}
          isReadOnly={false}
        />
      </FormDocumentContext>
    </div>
  )
}
