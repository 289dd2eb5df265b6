import { type FocusEvent, memo, type ReactNode } from 'react'
import { useTexts } from '../../../messages/messages.tsx'
import fieldStyles from '../../../ui/controls/field.module.css'
import { Icon } from '../../../ui/icon.tsx'
import type { FieldPath } from '../../saving/document-fields.ts'
import { isRecord } from '../../saving/field-values.ts'
import type { FieldEditorProps } from '../field-editor.ts'
import { GroupFields } from '../group-editor.tsx'
import type { ItemHandlers } from './item-handlers.ts'
import { ItemMenuButton } from './item-menu.tsx'
import { type ItemKind, isFoldable, summarizeItem } from './items.ts'
import styles from './list.module.css'

export interface ListItemProps extends Pick<FieldEditorProps, 'Field' | 'isReadOnly' | 'place'> {
  readonly id: string
  readonly item: unknown
  readonly index: number
  /** `undefined` if the config no longer has it. */
  readonly kind: ItemKind | undefined
  readonly isFolded: boolean
  readonly isFaulty: boolean
  readonly path: FieldPath
  readonly listLabel: string
  readonly handlers: ItemHandlers
}

/** An item of a list. A folded item renders none of its fields. */
export const ListItem = memo(function ListItem(props: ListItemProps): ReactNode {
  const { id, kind, isReadOnly, handlers } = props
  const { t } = useTexts()
  const isLine = kind !== undefined && !isFoldable(kind)
  const onBlur = ({ currentTarget, relatedTarget }: FocusEvent<HTMLElement>): void => {
    if (!isReadOnly && !currentTarget.contains(relatedTarget)) handlers.onLeave(id)
  }
  return (
    <li data-item={id} className={isLine ? styles.line : styles.item} onBlur={isLine ? onBlur : undefined}>
      {!isReadOnly && !isLine && (
        <button
          type="button"
          tabIndex={-1}
          aria-label={t.fields.insertHere}
          className={styles.gap}
          onClick={(event) => handlers.onInsert(id, event.currentTarget)}
        >
          <Icon name="plus" />
        </button>
      )}
      {isLine ? <Line {...props} kind={kind} /> : <Card {...props} />}
    </li>
  )
})

/** A one-line item, such as a text. */
function Line(props: ListItemProps & { readonly kind: ItemKind }): ReactNode {
  const { item, index, kind, path, place, listLabel, isReadOnly, Field } = props
  return (
    <>
      <Grip {...props} />
      <div className={styles.lineField} data-part="body" data-labels="hidden">
        <Field
          description={kind.description}
          path={path}
          place={place}
          value={item}
          label={`${listLabel} ${index + 1}`}
          isReadOnly={isReadOnly}
        />
      </div>
      <ItemMenuButton {...props} name={`${listLabel} ${index + 1}`} />
    </>
  )
}

/** An item with fields. */
function Card(props: ListItemProps): ReactNode {
  const { id, item, index, kind, isFolded, isFaulty, isReadOnly, handlers } = props
  const { t } = useTexts()
  const name = kind?.label ?? (kind ? t.fields.item(index + 1) : String(isRecord(item) ? item._type : index + 1))
  const summary = kind ? summarizeItem(kind, item) : ''
  return (
    <div className={`${styles.card} ${isFaulty ? styles.faulty : ''}`}>
      <div className={styles.header}>
        <Grip {...props} />
        <button
          type="button"
          data-part="toggle"
          aria-expanded={!isFolded}
          className={styles.toggle}
          onClick={() => handlers.onToggle(id, !isFolded)}
          onKeyDown={(event) => handlers.onKeys(id, event)}
          onCopy={(event) => handlers.onCopy(id, event)}
          onPaste={isReadOnly ? undefined : (event) => handlers.onPaste(id, event)}
        >
          <Icon name={isFolded ? 'folded' : 'chevron'} />
          <span className={styles.kind}>{name}</span>
          {isFolded && (
            <bdi dir="auto" className={styles.summary}>
              {summary}
            </bdi>
          )}
          {isFaulty && <Icon name="warning" />}
        </button>
        <ItemMenuButton {...props} name={`${name} ${index + 1}`} />
      </div>
      {!isFolded && (
        <div className={styles.fields} data-part="body">
          <CardBody {...props} name={name} />
        </div>
      )}
    </div>
  )
}

function CardBody({ item, kind, path, place, isReadOnly, Field, name }: ListItemProps & { readonly name: string }) {
  const { t } = useTexts()
  if (!kind) {
    return (
      <div className={fieldStyles.field}>
        <p className={fieldStyles.description}>{t.fields.unknownKind(name)}</p>
        <pre className={fieldStyles.value}>{JSON.stringify(item, null, 2)}</pre>
      </div>
    )
  }
  const { description } = kind
  const common = { path, place, value: item, isReadOnly }
  if (description.fields)
    return <GroupFields {...common} fields={description.fields} Field={Field} isRow={description.layout === 'row'} />
  return <Field {...common} description={description} label={name} />
}

/** The handle for dragging an item. By keyboard, its toggle and its menu button move it. */
function Grip({ id, isReadOnly, handlers }: Pick<ListItemProps, 'id' | 'isReadOnly' | 'handlers'>): ReactNode {
  if (isReadOnly) return null
  return (
    <span
      aria-hidden="true"
      data-part="grip"
      className={styles.grip}
      onPointerDown={(event) => handlers.onGrip(id, event)}
    >
      <Icon name="grip" />
    </span>
  )
}
