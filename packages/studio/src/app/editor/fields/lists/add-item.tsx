import { type FocusEvent, type KeyboardEvent, type ReactNode, useMemo, useRef, useState } from 'react'
import { useTexts } from '../../../messages/messages.tsx'
import { Button } from '../../../ui/controls/button.tsx'
import { Icon } from '../../../ui/icon.tsx'
import type { FieldPath } from '../../saving/document-fields.ts'
import { type FieldEditorProps, FormDocumentContext, useFormDocument } from '../field-editor.ts'
import { readCopiedItems } from './item-clipboard.ts'
import type { OpenMenu } from './item-handlers.ts'
import type { ItemKind } from './items.ts'
import styles from './list.module.css'
import type { ListCommands } from './list-commands.ts'
import type { ItemList } from './use-item-list.ts'

export interface AddItemProps {
  readonly list: ItemList
  readonly label: string
  readonly onOpenMenu: (menu: OpenMenu) => void
}

/** The buttons that add or paste items at the end of a list. */
export function AddItem({ list: { kinds, commands, items }, label, onOpenMenu }: AddItemProps): ReactNode {
  const { t } = useTexts()
  const container = useRef<HTMLDivElement>(null)
  const [onlyKind] = kinds.length === 1 ? kinds : []
  const add = (): void => {
    const anchor = container.current?.querySelector('button')
    if (onlyKind) commands.insert(onlyKind, items.length)
    else if (anchor) onOpenMenu({ kind: 'insert', index: items.length, anchor })
  }
  return (
    <div ref={container} className={styles.add} data-part="add">
      <Button icon="plus" onPress={add}>
        {t.fields.addTo(label)}
      </Button>
      {onlyKind?.description.fields && (
        <Button
          variant="quiet"
          onPress={() => void readCopiedItems().then((copied) => commands.paste(copied, items.length))}
        >
          {t.fields.paste}
        </Button>
      )}
    </div>
  )
}

export interface AddValueLineProps extends Pick<FieldEditorProps, 'label' | 'place' | 'Field'> {
  readonly kind: ItemKind
  readonly commands: ListCommands
}

/** Types whose values are complete once they are chosen. */
const CHOICE_TYPES: ReadonlySet<string> = new Set(['select', 'boolean', 'status'])
const NO_PATH: FieldPath = []

/** A field for one more value. The value joins the list on Enter or when the field loses the focus, so that no empty value is stored. */
export function AddValueLine({ kind, label, place, commands, Field }: AddValueLineProps): ReactNode {
  const { t } = useTexts()
  const form = useFormDocument()
  const [draft, setDraft] = useState<unknown>(null)
  const { type } = kind.description
  const document = useMemo(
    () => ({
      ...form,
      edit: (_: FieldPath, value: unknown) => (CHOICE_TYPES.has(type) ? commands.append(value) : setDraft(value)),
    }),
    [form, type, commands],
  )
  const isEmpty = draft === null || draft === ''
  const append = (): void => {
    if (isEmpty) return
    commands.append(draft)
    setDraft(null)
  }
  const onBlur = (event: FocusEvent<HTMLElement>): void => {
    if (!event.currentTarget.contains(event.relatedTarget)) append()
  }
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    if (event.key !== 'Enter' || isEmpty || CHOICE_TYPES.has(type)) return
    event.preventDefault()
    append()
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
          path={NO_PATH}
          place={`${place}.new`}
          value={draft}
          label={t.fields.addTo(label)}
          isReadOnly={false}
        />
      </FormDocumentContext>
    </div>
  )
}
