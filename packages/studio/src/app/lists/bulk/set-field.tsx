import { type ReactNode, useState } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { Checkbox } from '../../ui/controls/checkbox.tsx'
import { ChoiceField } from '../../ui/controls/choice-field.tsx'
import { DialogButtons } from '../../ui/overlays/dialog.tsx'
import { fieldLabel } from '../field-label.ts'
import { ValueEditor } from '../filters/value-editor.tsx'
import type { FilterValue } from '../filters/where-tree.ts'
import type { ListView } from '../list-view.ts'
import { type BulkAction, settableFields } from './bulk-operations.ts'

/** What a {@link SetField} takes. */
export interface SetFieldProps {
  readonly view: ListView
  readonly onChoose: (action: BulkAction) => void
  readonly onCancel: () => void
}

/** Asks which field many entries get which value in. */
export function SetField({ view, onChoose, onCancel }: SetFieldProps): ReactNode {
  const { t } = useTexts()
  const { bulk } = t.lists
  const fields = settableFields(view.collection.fields)
  const [path, setPath] = useState(fields[0]?.key ?? '')
  const [value, setValue] = useState<FilterValue>()
  const [isEmpty, setIsEmpty] = useState(false)
  const field = view.fields.find((one) => one.path === path)
  const isRequired = fields.find(({ key }) => key === path)?.required === true
  const choose = (next: string): void => {
    setPath(next)
    setValue(undefined)
    setIsEmpty(false)
  }
  return (
    <>
      <ChoiceField
        label={t.lists.filter.field}
        value={path}
        options={fields.map(({ key }) => {
          const known = view.fields.find((one) => one.path === key)
          return { id: key, label: known ? fieldLabel(known, t) : key }
        })}
        onChange={choose}
      />
      {field && !isEmpty && (
        <ValueEditor
          condition={{ kind: 'condition', path, operator: 'eq', value }}
          field={field}
          view={view}
          onChange={setValue}
        />
      )}
      {!isRequired && (
        <Checkbox label={bulk.empty} isSelected={isEmpty} onChange={(isSelected) => setIsEmpty(isSelected)} />
      )}
      <DialogButtons>
        <Button onPress={onCancel}>{t.common.cancel}</Button>
        <Button
          variant="primary"
          isDisabled={!isEmpty && value === undefined}
          onPress={() => onChoose({ kind: 'set', field: path, value: isEmpty ? null : value })}
        >
          {bulk.try}
        </Button>
      </DialogButtons>
    </>
  )
}
