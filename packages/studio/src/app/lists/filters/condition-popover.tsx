import { type ReactNode, useState } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { ChoiceField } from '../../ui/controls/choice-field.tsx'
import { SearchField } from '../../ui/controls/search-field.tsx'
import { PopoverDialog } from '../../ui/overlays/popover-dialog.tsx'
import { getFieldLabel, type ListField } from '../list-fields.ts'
import type { ListView } from '../list-view.ts'
import styles from './filter.module.css'
import { changeOperator, createCondition, getOperatorLabel } from './filter-fields.ts'
import { useDelayed } from './use-delayed.ts'
import { ValueEditor } from './value-editor.tsx'
import { type FilterCondition, type FilterGroup, isComplete, serializeWhere } from './where-tree.ts'

/** The delay between the last change and the new list, in milliseconds. */
const APPLY_MS = 250

export interface ConditionPopoverProps {
  readonly view: ListView
  readonly fields: readonly ListField[]
  /** The filter when the form was opened. */
  readonly root: FilterGroup
  /** The position of the condition in the filter; a new one comes last. */
  readonly index: number
  readonly anchor: HTMLElement
  readonly onClose: () => void
  /** Opens the form for groups of conditions. */
  readonly onBuild: () => void
}

/** The form of one condition, next to its chip. The list follows every change. */
export default function ConditionPopover(props: ConditionPopoverProps): ReactNode {
  const { view, fields, root, index, anchor, onClose, onBuild } = props
  const { t } = useTexts()
  const node = root.nodes[index]
  const [condition, setCondition] = useState(node?.kind === 'condition' ? node : undefined)
  const field = condition && fields.find(({ path }) => path === condition.path)
  const { change } = view
  const applyLater = useDelayed(APPLY_MS)
  const update = (next: FilterCondition): void => {
    setCondition(next)
    const where = serializeWhere({ ...root, nodes: root.nodes.toSpliced(index, 1, next) })
    if (isComplete(next)) applyLater(() => change({ where }))
  }
  return (
    <PopoverDialog anchor={anchor} label={field ? getFieldLabel(field, t) : t.lists.filter.add} onClose={onClose}>
      {condition && field ? (
        <>
          <p className={styles.fieldName}>{getFieldLabel(field, t)}</p>
          <ChoiceField
            isLabelHidden
            label={t.lists.filter.operator}
            value={condition.operator}
            options={field.operators.map((id) => ({ id, label: getOperatorLabel(id, field, { t }) }))}
            onChange={(operator) => update(changeOperator(condition, operator))}
          />
          <div className={styles.value}>
            <ValueEditor
              condition={condition}
              field={field}
              view={view}
              onChange={(value) => update({ ...condition, value })}
            />
          </div>
          <div className={styles.adders}>
            <Button variant="primary" onPress={onClose}>
              {t.lists.filter.done}
            </Button>
          </div>
        </>
      ) : (
        <FieldChoice fields={fields} onChoose={(chosen) => update(createCondition(chosen))} onBuild={onBuild} />
      )}
    </PopoverDialog>
  )
}

interface FieldChoiceProps extends Pick<ConditionPopoverProps, 'fields' | 'onBuild'> {
  readonly onChoose: (field: ListField) => void
}

/** The field of a new condition. */
function FieldChoice({ fields, onChoose, onBuild }: FieldChoiceProps): ReactNode {
  const { t } = useTexts()
  const [text, setText] = useState('')
  const typed = text.trim().toLocaleLowerCase()
  const matches = fields.filter((field) => getFieldLabel(field, t).toLocaleLowerCase().includes(typed))
  return (
    <>
      <SearchField label={t.lists.findField} value={text} onChange={setText} />
      <ul className={styles.fields} aria-label={t.lists.allFields}>
        {matches.map((field) => (
          <li key={field.path}>
            <button type="button" className={styles.fieldOption} onClick={() => onChoose(field)}>
              {getFieldLabel(field, t)}
            </button>
          </li>
        ))}
      </ul>
      <div className={styles.adders}>
        <Button variant="quiet" icon="filter" onPress={onBuild}>
          {t.lists.filter.build}
        </Button>
      </div>
    </>
  )
}
