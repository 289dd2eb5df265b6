import { toQueryString } from '@daybook/client'
import { type ReactNode, useMemo, useState } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import { Button, IconButton } from '../../ui/controls/button.tsx'
import { ChoiceField } from '../../ui/controls/choice-field.tsx'
import { Sheet } from '../../ui/overlays/sheet.tsx'
import { useToast } from '../../ui/overlays/toasts.tsx'
import { getFieldLabel, type ListField } from '../list-fields.ts'
import type { ListView } from '../list-view.ts'
import styles from './filter.module.css'
import { changeOperator, createCondition, getFilterFields, getOperatorLabel } from './filter-fields.ts'
import { useDelayed } from './use-delayed.ts'
import { ValueEditor } from './value-editor.tsx'
import {
  countConditions,
  type FilterCondition,
  type FilterGroup,
  type FilterNode,
  isComplete,
  parseWhere,
  serializeWhere,
} from './where-tree.ts'

/** The delay between the last change and the new list, in milliseconds. */
const APPLY_MS = 250
/** The maximum number of conditions that the API accepts. */
const MAX_CONDITIONS = 50

export interface FilterBuilderProps {
  readonly view: ListView
  readonly onClose: () => void
}

/** The form of a whole filter, with groups of conditions. The list follows every change. */
export default function FilterBuilder({ view, onClose }: FilterBuilderProps): ReactNode {
  const { t } = useTexts()
  const toast = useToast()
  const { search, change, collections, collection } = view
  const fields = useMemo(() => getFilterFields(view.fields, collections), [view.fields, collections])
  const [root, setRoot] = useState<FilterGroup>(() => parseWhere(search.where))
  const fault = findFault(root, t.lists.filter)
  const applyLater = useDelayed(APPLY_MS)
  const update = (next: FilterGroup): void => {
    setRoot(next)
    // Conditions without a value are left out.
    if (countConditions(next) <= MAX_CONDITIONS) applyLater(() => change({ where: serializeWhere(next) }))
  }
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(
      buildApiUrl(location.origin, collection.key, { ...view.query, where: serializeWhere(root) }),
    )
    toast({ text: t.common.copied })
  }
  const showCopyError = (): void => {
    toast({ kind: 'failed', text: t.lists.filter.notCopied })
  }
  return (
    <Sheet
      title={t.lists.filter.title}
      closeLabel={t.common.close}
      onClose={onClose}
      footer={
        <>
          <Button variant="quiet" icon="copy" onPress={() => void copy().catch(showCopyError)}>
            {t.lists.filter.copyUrl}
          </Button>
          <Button variant="primary" onPress={onClose}>
            {t.lists.filter.done}
          </Button>
        </>
      }
    >
      <GroupEditor group={root} fields={fields} view={view} level={1} onChange={update} />
      {fault !== undefined && (
        <p role="status" className={styles.note}>
          {fault}
        </p>
      )}
    </Sheet>
  )
}

function findFault(root: FilterGroup, texts: ReturnType<typeof useTexts>['t']['lists']['filter']): string | undefined {
  if (!isComplete(root)) return texts.incomplete
  return countConditions(root) > MAX_CONDITIONS ? texts.tooMany(MAX_CONDITIONS) : undefined
}

/** The maximum nesting of groups that the API accepts. */
const MAX_LEVELS = 3

interface GroupEditorProps {
  readonly group: FilterGroup
  readonly fields: readonly ListField[]
  readonly view: ListView
  /** From 1. */
  readonly level: number
  readonly onChange: (group: FilterGroup) => void
  /** If absent, the group cannot be removed. */
  readonly onRemove?: () => void
}

function GroupEditor({ group, fields, view, level, onChange, onRemove }: GroupEditorProps): ReactNode {
  const { t } = useTexts()
  const { filter } = t.lists
  const replace = (index: number, nodes: readonly FilterNode[]): void =>
    onChange({ ...group, nodes: group.nodes.toSpliced(index, 1, ...nodes) })
  const add = (node: FilterNode): void => onChange({ ...group, nodes: [...group.nodes, node] })
  const [first] = fields
  const newConditions: readonly FilterNode[] = first ? [createCondition(first)] : []
  return (
    <fieldset className={styles.group} aria-label={filter.group}>
      <div className={styles.groupHead}>
        <ChoiceField
          label={filter.mode}
          value={group.mode}
          options={[
            { id: 'all', label: filter.all },
            { id: 'any', label: filter.any },
          ]}
          onChange={(mode) => onChange({ ...group, mode: mode === 'any' ? 'any' : 'all' })}
        />
        {onRemove && <IconButton icon="close" label={filter.removeGroup} onPress={onRemove} />}
      </div>
      {group.nodes.map((node, index) => (
        <NodeEditor
          key={`${index.toString()}`}
          node={node}
          fields={fields}
          view={view}
          level={level}
          onChange={(next) => replace(index, [next])}
          onRemove={() => replace(index, [])}
        />
      ))}
      <div className={styles.adders}>
        <Button icon="plus" onPress={() => newConditions[0] && add(newConditions[0])}>
          {filter.addCondition}
        </Button>
        {level < MAX_LEVELS && (
          <Button
            variant="quiet"
            icon="plus"
            onPress={() => add({ kind: 'group', mode: group.mode === 'all' ? 'any' : 'all', nodes: newConditions })}
          >
            {filter.addGroup}
          </Button>
        )}
      </div>
    </fieldset>
  )
}

interface NodeEditorProps extends Pick<GroupEditorProps, 'fields' | 'view' | 'level'> {
  readonly node: FilterNode
  readonly onChange: (node: FilterNode) => void
  readonly onRemove: () => void
}

function NodeEditor({ node, fields, view, level, onChange, onRemove }: NodeEditorProps): ReactNode {
  const { t } = useTexts()
  if (node.kind === 'group') {
    return (
      <GroupEditor group={node} fields={fields} view={view} level={level + 1} onChange={onChange} onRemove={onRemove} />
    )
  }
  const field = node.kind === 'condition' ? fields.find(({ path }) => path === node.path) : undefined
  if (node.kind === 'condition' && field?.operators.includes(node.operator)) {
    return (
      <ConditionEditor
        condition={node}
        field={field}
        fields={fields}
        view={view}
        onChange={onChange}
        onRemove={onRemove}
      />
    )
  }
  const where = node.kind === 'other' ? node.where : { [node.path]: { [node.operator]: node.value } }
  return (
    <div className={styles.other}>
      <pre className={styles.json}>{JSON.stringify(where, null, 1)}</pre>
      <IconButton icon="close" label={t.lists.filter.removeCondition} onPress={onRemove} />
      <p className={styles.note}>{t.lists.filter.otherText}</p>
    </div>
  )
}

interface ConditionEditorProps {
  readonly condition: FilterCondition
  readonly field: ListField
  readonly fields: readonly ListField[]
  readonly view: ListView
  readonly onChange: (condition: FilterCondition) => void
  readonly onRemove: () => void
}

function ConditionEditor(props: ConditionEditorProps): ReactNode {
  const { condition, field, fields, view, onChange, onRemove } = props
  const { t } = useTexts()
  const texts = t.lists.filter
  const chooseField = (path: string): void => {
    const next = fields.find((option) => option.path === path)
    if (next) onChange(createCondition(next))
  }
  return (
    <div className={styles.condition} role="group" aria-label={getFieldLabel(field, t)}>
      <ChoiceField
        isLabelHidden
        label={texts.field}
        value={field.path}
        options={fields.map((option) => ({ id: option.path, label: getFieldLabel(option, t) }))}
        onChange={chooseField}
      />
      <ChoiceField
        isLabelHidden
        label={texts.operator}
        value={condition.operator}
        options={field.operators.map((id) => ({ id, label: getOperatorLabel(id, field, { t }) }))}
        onChange={(operator) => onChange(changeOperator(condition, operator))}
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

const buildApiUrl = (origin: string, collection: string, query: Readonly<Record<string, unknown>>): string =>
  `${origin}/api/${encodeURIComponent(collection)}${toQueryString(query)}`
