import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type ReactNode, useDeferredValue, useState } from 'react'
import type { ListPage } from '../../api/client.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { useStudio } from '../../api/studio.ts'
import { useTexts } from '../../messages/messages.tsx'
import { getEntryTitle, getOptionLabel, type StudioCollection } from '../../model/studio-model.ts'
import { Checkbox } from '../../ui/controls/checkbox.tsx'
import { ChoiceField } from '../../ui/controls/choice-field.tsx'
import { SearchField } from '../../ui/controls/search-field.tsx'
import { TextField } from '../../ui/controls/text-field.tsx'
import type { ListField } from '../list-fields.ts'
import type { ListView } from '../list-view.ts'
import styles from './filter.module.css'
import { LIST_OPERATORS } from './filter-fields.ts'
import type { FilterCondition, FilterValue } from './where-tree.ts'

export interface ValueEditorProps {
  readonly condition: FilterCondition
  readonly field: ListField
  readonly view: ListView
  readonly onChange: (value: FilterValue | undefined) => void
}

/** The editor of a condition's value, by the type of the field and the operator. */
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
  const { operator, value } = condition
  const chosen = [value ?? []].flat().map(String)
  if (!LIST_OPERATORS.has(operator)) {
    const unknown = chosen.filter((option) => !options.includes(option))
    const ids = [...(chosen.length === 0 ? [''] : []), ...unknown, ...options]
    return (
      <ChoiceField
        label={label}
        value={chosen[0] ?? ''}
        options={ids.map((id) => ({ id, label: id === '' ? '–' : getOptionLabel(id, field, t) }))}
        onChange={(id) => onChange(id === '' ? undefined : id)}
      />
    )
  }
  return (
    <div role="group" aria-label={label} className={styles.options}>
      {options.map((id) => (
        <Checkbox
          key={id}
          label={getOptionLabel(id, field, t)}
          isSelected={chosen.includes(id)}
          onChange={(isSelected) => onChange(isSelected ? [...chosen, id] : chosen.filter((other) => other !== id))}
        />
      ))}
    </div>
  )
}

interface TypedValueProps extends Pick<ValueEditorProps, 'condition' | 'field' | 'onChange'> {
  readonly label: string
}

/** A typed value; invalid text stays in the field. */
function TypedValue({ condition, field, label, onChange }: TypedValueProps): ReactNode {
  const { t } = useTexts()
  const isList = LIST_OPERATORS.has(condition.operator)
  const [typed, setTyped] = useState(() => formatTypedValue(condition.value, field.type))
  const inputType = isList ? 'text' : (INPUT_TYPES[field.type] ?? 'text')
  const value = parseTypedValue(typed, field.type, isList)
  return (
    <TextField
      label={label}
      type={inputType}
      value={typed}
      error={typed.trim() !== '' && value === undefined ? t.lists.filter.notFit : undefined}
      description={isList ? t.lists.filter.byCommas : undefined}
      onChange={(text) => {
        setTyped(text)
        onChange(parseTypedValue(text, field.type, isList))
      }}
    />
  )
}

const INPUT_TYPES: Readonly<Record<string, 'date' | 'datetime-local'>> = { date: 'date', datetime: 'datetime-local' }

/** The maximum number of entries that are offered. */
const MAX_ENTRIES = 10

interface EntryValueProps {
  readonly target: StudioCollection
  readonly operator: string
  readonly value: FilterValue | undefined
  readonly onChange: (value: FilterValue | undefined) => void
}

/** A search for the entries to compare with. */
function EntryValue({ target, operator, value, onChange }: EntryValueProps): ReactNode {
  const { t } = useTexts()
  const [text, setText] = useState('')
  const chosen = [value ?? []].flat().map(String)
  const matches = useEntries(target, useDeferredValue(text.trim()))
  const chosenEntries = useEntries(target, '', chosen)
  const isList = LIST_OPERATORS.has(operator)
  const options = [...chosenEntries, ...matches.filter(({ id }) => !chosen.includes(id))]
  const choose = (id: string, isSelected: boolean): void => {
    const ids = isSelected ? [...(isList ? chosen : []), id] : chosen.filter((other) => other !== id)
    onChange(isList ? ids : ids[0])
  }
  return (
    <>
      {target.searchable && <SearchField label={t.lists.searchIn(target.label)} value={text} onChange={setText} />}
      <div role="group" aria-label={target.label} className={styles.options}>
        {options.map((item) => (
          <Checkbox
            key={item.id}
            label={getEntryTitle(target, item) ?? item.id}
            isSelected={chosen.includes(item.id)}
            onChange={(isSelected) => choose(item.id, isSelected)}
          />
        ))}
      </div>
    </>
  )
}

function useEntries({ key, titleField }: StudioCollection, q: string, ids?: readonly string[]): ListPage['items'] {
  const { client } = useStudio()
  const filter = ids ? { where: { id: { in: ids } } } : q === '' ? {} : { q }
  const query = { ...filter, select: [titleField ?? 'id'], limit: MAX_ENTRIES }
  const { data } = useQuery({
    queryKey: [...queryKeys.lists(key), 'offered', query],
    queryFn: async ({ signal }) =>
      (await client.collections[key]?.findMany(query as object, { signal })) as unknown as ListPage,
    enabled: ids === undefined || ids.length > 0,
    placeholderData: keepPreviousData,
  })
  return ids?.length === 0 ? [] : (data?.items ?? [])
}

/** Parses typed text as a value of a type; `undefined` if it is invalid. @param isList true if commas separate values */
function parseTypedValue(text: string, type: string, isList: boolean): FilterValue | undefined {
  if (!isList) return parseSingleValue(text, type)
  const values = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => parseSingleValue(part, type))
  const validValues = values.filter((item) => item !== undefined)
  return validValues.length === 0 || validValues.length < values.length ? undefined : validValues
}

function parseSingleValue(text: string, type: string): string | number | undefined {
  if (text.trim() === '') return undefined
  if (type === 'number' || type === 'integer') {
    const number = Number(text)
    return Number.isFinite(number) ? number : undefined
  }
  if (type !== 'datetime') return text
  const time = Date.parse(text)
  return Number.isNaN(time) ? undefined : new Date(time).toISOString()
}

function formatTypedValue(value: FilterValue | undefined, type: string): string {
  if (value === undefined) return ''
  if (typeof value === 'object') return value.join(', ')
  return type === 'datetime' && typeof value === 'string' ? toLocalTime(value) : String(value)
}

/** Converts a timestamp to the user's time zone, in the format of `datetime-local` fields. */
function toLocalTime(timestamp: string): string {
  const time = Date.parse(timestamp)
  if (Number.isNaN(time)) return timestamp
  const local = new Date(time - new Date(time).getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 16)
}
