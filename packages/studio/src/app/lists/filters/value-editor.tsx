import { type ReactNode, useState } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import { statusLabel } from '../../model/status-label.ts'
import { Checkbox } from '../../ui/controls/checkbox.tsx'
import { ChoiceField } from '../../ui/controls/choice-field.tsx'
import { TextField } from '../../ui/controls/text-field.tsx'
import type { ListField } from '../list-fields.ts'
import type { ListView } from '../list-view.ts'
import { EntryValue } from './entry-value.tsx'
import styles from './filter.module.css'
import { SEVERAL } from './filter-fields.ts'
import { readTyped, writeTyped } from './typed-value.ts'
import type { FilterCondition, FilterValue } from './where-tree.ts'

/** What a {@link ValueEditor} takes. */
export interface ValueEditorProps {
  readonly condition: FilterCondition
  readonly field: ListField
  readonly view: ListView
  readonly onChange: (value: FilterValue | undefined) => void
}

/** The value of a condition, as the type of its field and its operator ask for. */
export function ValueEditor({ condition, field, view, onChange }: ValueEditorProps): ReactNode {
  const { t } = useTexts()
  const { operator, value } = condition
  const label = t.lists.filter.value
  if (operator === 'exists' || field.type === 'boolean') {
    return (
      <ChoiceField
        label={label}
        value={value === undefined ? '' : String(value)}
        options={[
          ...(value === undefined ? [{ id: '', label: '–' }] : []),
          { id: 'true', label: t.lists.yes },
          { id: 'false', label: t.lists.no },
        ]}
        onChange={(text) => onChange(text === '' ? undefined : text === 'true')}
      />
    )
  }
  const [to] = field.to
  const target = field.to.length === 1 && to !== undefined ? view.collections.get(to) : undefined
  if (target) return <EntryValue target={target} operator={operator} value={value} onChange={onChange} />
  if (field.options && !['startsWith', 'contains', 'ieq', 'istartsWith', 'icontains'].includes(operator)) {
    return <OptionValue field={field} options={field.options} label={label} condition={condition} onChange={onChange} />
  }
  return (
    <TypedValue
      key={`${field.path} ${operator}`}
      field={field}
      condition={condition}
      label={label}
      onChange={onChange}
    />
  )
}

interface OptionValueProps extends Pick<ValueEditorProps, 'condition' | 'field' | 'onChange'> {
  readonly options: readonly string[]
  readonly label: string
}

function OptionValue({ field, options, label, condition, onChange }: OptionValueProps): ReactNode {
  const { t } = useTexts()
  const nameOf = (option: string): string => (field.type === 'status' ? statusLabel(option, t) : option)
  const { operator, value } = condition
  const chosen = [value ?? []].flat().map(String)
  if (!SEVERAL.has(operator)) {
    const known = chosen.filter((one) => !options.includes(one))
    const all = [...(chosen.length === 0 ? [''] : []), ...known, ...options]
    return (
      <ChoiceField
        label={label}
        value={chosen[0] ?? ''}
        options={all.map((id) => ({ id, label: id === '' ? '–' : nameOf(id) }))}
        onChange={(id) => onChange(id === '' ? undefined : id)}
      />
    )
  }
  return (
    <div role="group" aria-label={label} className={styles.options}>
      {options.map((id) => (
        <Checkbox
          key={id}
          label={nameOf(id)}
          isSelected={chosen.includes(id)}
          onChange={(isSelected) => onChange(isSelected ? [...chosen, id] : chosen.filter((one) => one !== id))}
        />
      ))}
    </div>
  )
}

interface TypedValueProps extends Pick<ValueEditorProps, 'condition' | 'field' | 'onChange'> {
  readonly label: string
}

/** A value that is typed; what is typed stays as it is until it means something. */
function TypedValue({ condition, field, label, onChange }: TypedValueProps): ReactNode {
  const { t } = useTexts()
  const isSeveral = SEVERAL.has(condition.operator)
  const [typed, setTyped] = useState(() => writeTyped(condition.value, field.type))
  const kind = isSeveral ? 'text' : (INPUT_TYPES[field.type] ?? 'text')
  const value = readTyped(typed, field.type, isSeveral)
  return (
    <TextField
      label={label}
      type={kind}
      value={typed}
      error={typed.trim() !== '' && value === undefined ? t.lists.filter.notFit : undefined}
      description={isSeveral ? t.lists.filter.byCommas : undefined}
      onChange={(text) => {
        setTyped(text)
        onChange(readTyped(text, field.type, isSeveral))
      }}
    />
  )
}

const INPUT_TYPES: Readonly<Record<string, 'date' | 'datetime-local'>> = { date: 'date', datetime: 'datetime-local' }
