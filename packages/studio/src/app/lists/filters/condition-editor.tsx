import type { ReactNode } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import { IconButton } from '../../ui/controls/button.tsx'
import { ChoiceField } from '../../ui/controls/choice-field.tsx'
import { fieldLabel } from '../field-label.ts'
import type { ListField } from '../list-fields.ts'
import type { ListView } from '../list-view.ts'
import styles from './filter.module.css'
import { SEVERAL, usualOperator, valueAfter } from './filter-fields.ts'
import { operatorLabel } from './filter-texts.ts'
import { ValueEditor } from './value-editor.tsx'
import type { FilterCondition } from './where-tree.ts'

/** What a {@link ConditionEditor} takes. */
export interface ConditionEditorProps {
  readonly condition: FilterCondition
  readonly field: ListField
  readonly fields: readonly ListField[]
  readonly view: ListView
  readonly onChange: (condition: FilterCondition) => void
  readonly onRemove: () => void
}

/** A condition: a field, an operator that it takes, and a value. */
export function ConditionEditor(props: ConditionEditorProps): ReactNode {
  const { condition, field, fields, view, onChange, onRemove } = props
  const { t } = useTexts()
  const texts = t.lists.filter
  const chooseField = (path: string): void => {
    const next = fields.find((one) => one.path === path)
    if (!next) return
    const operator = usualOperator(next)
    onChange({ kind: 'condition', path, operator, value: valueAfter(operator) })
  }
  const chooseOperator = (operator: string): void => {
    // A value stays while it still fits.
    const fits = SEVERAL.has(operator) === SEVERAL.has(condition.operator)
    const isPresence = operator === 'exists' || condition.operator === 'exists'
    onChange({ ...condition, operator, value: fits && !isPresence ? condition.value : valueAfter(operator) })
  }
  return (
    <div className={styles.condition} role="group" aria-label={fieldLabel(field, t)}>
      <ChoiceField
        isBare
        label={texts.field}
        value={field.path}
        options={fields.map((one) => ({ id: one.path, label: fieldLabel(one, t) }))}
        onChange={chooseField}
      />
      <ChoiceField
        isBare
        label={texts.operator}
        value={condition.operator}
        options={field.operators.map((id) => ({ id, label: operatorLabel(id, field, { t }) }))}
        onChange={chooseOperator}
      />
      <IconButton icon="close" label={texts.removeCondition} onPress={onRemove} />
      <div className={styles.value}>
        <ValueEditor
          condition={condition}
          field={field}
          view={view}
          onChange={(value) => onChange({ ...condition, value })}
        />
      </div>
    </div>
  )
}
