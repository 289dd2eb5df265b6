import type { ReactNode } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import { Button, IconButton } from '../../ui/controls/button.tsx'
import { ChoiceField } from '../../ui/controls/choice-field.tsx'
import type { ListField } from '../list-fields.ts'
import type { ListView } from '../list-view.ts'
import { ConditionEditor } from './condition-editor.tsx'
import styles from './filter.module.css'
import { usualOperator } from './filter-fields.ts'
import type { FilterGroup, FilterNode } from './where-tree.ts'

/** How deep groups are nested at most: the API takes no more. */
const MAX_LEVELS = 3

/** What a {@link GroupEditor} takes. */
export interface GroupEditorProps {
  readonly group: FilterGroup
  readonly fields: readonly ListField[]
  readonly view: ListView
  /** From 1. */
  readonly level: number
  readonly onChange: (group: FilterGroup) => void
  /** Absent: the group stays. */
  readonly onRemove?: () => void
}

/** A group of conditions, of which all must hold, or any. */
export function GroupEditor({ group, fields, view, level, onChange, onRemove }: GroupEditorProps): ReactNode {
  const { t } = useTexts()
  const { filter } = t.lists
  const put = (index: number, nodes: readonly FilterNode[]): void =>
    onChange({ ...group, of: group.of.toSpliced(index, 1, ...nodes) })
  const add = (node: FilterNode): void => onChange({ ...group, of: [...group.of, node] })
  const [first] = fields
  const begun: readonly FilterNode[] = first
    ? [{ kind: 'condition', path: first.path, operator: usualOperator(first), value: undefined }]
    : []
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
      {group.of.map((node, index) => (
        <NodeEditor
          key={`${index.toString()}`}
          node={node}
          fields={fields}
          view={view}
          level={level}
          onChange={(changed) => put(index, [changed])}
          onRemove={() => put(index, [])}
        />
      ))}
      <div className={styles.adders}>
        <Button icon="plus" onPress={() => begun[0] && add(begun[0])}>
          {filter.addCondition}
        </Button>
        {level < MAX_LEVELS && (
          <Button
            variant="quiet"
            icon="plus"
            onPress={() => add({ kind: 'group', mode: group.mode === 'all' ? 'any' : 'all', of: begun })}
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
  const written = node.kind === 'other' ? node.where : { [node.path]: { [node.operator]: node.value } }
  return (
    <div className={styles.other}>
      <pre className={styles.json}>{JSON.stringify(written, null, 1)}</pre>
      <IconButton icon="close" label={t.lists.filter.removeCondition} onPress={onRemove} />
      <p className={styles.note}>{t.lists.filter.otherText}</p>
    </div>
  )
}
