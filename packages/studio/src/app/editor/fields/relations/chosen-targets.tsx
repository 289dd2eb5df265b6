import { useVirtualizer } from '@tanstack/react-virtual'
import { lazy, type ReactNode, Suspense, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { useTexts } from '../../../messages/messages.tsx'
import { getStatusLabel, toLabel } from '../../../model/studio-model.ts'
import { useModel } from '../../../model/use-model.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { MenuItem, PopupMenu } from '../../../ui/overlays/menu.tsx'
import unseen from '../../../ui/visually-hidden.module.css'
import { createItemHandlers, type ItemHandlers, type OpenMenu } from '../lists/item-handlers.ts'
import { ItemMenuButton } from '../lists/item-menu.tsx'
import listStyles from '../lists/list.module.css'
import { ListCommands } from '../lists/list-commands.ts'
import { useDeferredFocus } from '../lists/use-item-list.ts'
import styles from './relation.module.css'
import { getReferenceKey, type Reference } from './relation-targets.ts'
import { useTitle } from './use-title.ts'

export interface ChosenTargetsProps {
  readonly references: readonly Reference[]
  readonly isCollectionShown: boolean
  readonly isReadOnly: boolean
  readonly onChange: (references: readonly Reference[]) => void
}

/** The estimated height of a row, in pixels. */
const ROW_PX = 44
const NO_FOLDS = { set: () => undefined, setAll: () => undefined }

/** The targets of a relation, in order. Only visible rows are rendered and looked up. */
export function ChosenTargets(props: ChosenTargetsProps): ReactNode {
  const { references, isCollectionShown, isReadOnly, onChange } = props
  const box = useRef<HTMLDivElement>(null)
  const [menu, setMenu] = useState<OpenMenu>()
  const [announcement, setAnnouncement] = useState('')
  const ids = references.map(getReferenceKey)
  const rows = useVirtualizer({
    count: references.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_PX,
    getItemKey: (index) => ids[index] ?? index,
    overscan: 6,
  })
  const commands = useCommands({
    references,
    ids,
    onChange,
    announce: setAnnouncement,
    box,
    show: (index) => rows.scrollToIndex(index),
  })
  const handlers = useMemo(() => createItemHandlers(commands, box, setMenu), [commands])
  if (references.length === 0) return null
  return (
    <div ref={box} className={styles.chosen}>
      <ol data-part="items" className={styles.rows} style={{ blockSize: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, start, key }) => {
          const reference = references[index]
          return (
            reference && (
              <li
                key={key}
                ref={rows.measureElement}
                data-index={index}
                data-item={ids[index]}
                className={styles.row}
                style={{ transform: `translateY(${start}px)` }}
              >
                <ChosenTarget
                  reference={reference}
                  id={ids[index] ?? ''}
                  isAlone={references.length === 1}
                  isCollectionShown={isCollectionShown}
                  isReadOnly={isReadOnly}
                  handlers={handlers}
                  onRemove={() => commands.remove(ids[index] ?? '')}
                />
              </li>
            )
          )
        })}
      </ol>
      <div className={styles.mark} data-part="mark" hidden />
      {menu?.kind === 'item' && (
        <MoveMenu menu={menu} commands={commands} last={ids.length - 1} onClose={() => setMenu(undefined)} />
      )}
      <p role="status" className={unseen.unseen}>
        {announcement}
      </p>
    </div>
  )
}

interface CommandProps extends Pick<ChosenTargetsProps, 'references' | 'onChange'> {
  readonly ids: readonly string[]
  readonly announce: (text: string) => void
  readonly box: { readonly current: HTMLDivElement | null }
  readonly show: (index: number) => void
}

/** Creates the commands that change the order. They stay the same object while the field is mounted. */
function useCommands({ box, announce, ...props }: CommandProps): ListCommands {
  const { t } = useTexts()
  const focus = useDeferredFocus(box, props.references)
  const latest = useRef({ ...props, t })
  useLayoutEffect(() => {
    latest.current = { ...props, t }
  })
  return useMemo(
    () =>
      new ListCommands({
        getList: () => ({
          field: {},
          items: latest.current.references,
          ids: latest.current.ids,
          kinds: [],
          t: latest.current.t,
        }),
        getId: (item) => getReferenceKey(item as Reference),
        setItems: (items) => latest.current.onChange(items as readonly Reference[]),
        folds: NO_FOLDS,
        focus: (id, part) => {
          focus(id, part)
          if (id !== undefined) requestAnimationFrame(() => latest.current.show(latest.current.ids.indexOf(id)))
        },
        announce,
      }),
    [focus, announce],
  )
}

interface MoveMenuProps {
  readonly menu: Extract<OpenMenu, { readonly kind: 'item' }>
  readonly commands: ListCommands
  readonly last: number
  readonly onClose: () => void
}

function MoveMenu({ menu: { id, anchor }, commands, last, onClose }: MoveMenuProps): ReactNode {
  const { t } = useTexts()
  const index = commands.indexOf(id)
  return (
    <PopupMenu anchor={anchor} label={t.fields.actionsOf(t.fields.item(index + 1))} onClose={onClose}>
      {index > 0 && <MenuItem onAction={() => commands.move(id, () => 0)}>{t.fields.moveToTop}</MenuItem>}
      {index > 0 && <MenuItem onAction={() => commands.move(id, (at) => at - 1)}>{t.fields.moveUp}</MenuItem>}
      {index < last && <MenuItem onAction={() => commands.move(id, (at) => at + 1)}>{t.fields.moveDown}</MenuItem>}
      {index < last && <MenuItem onAction={() => commands.move(id, (_, end) => end)}>{t.fields.moveToBottom}</MenuItem>}
      <MenuItem onAction={() => commands.remove(id)}>{t.fields.remove}</MenuItem>
    </PopupMenu>
  )
}

const TargetCard = lazy(() => import('./target-card.tsx').then((module) => ({ default: module.TargetCard })))

interface ChosenTargetProps {
  readonly reference: Reference
  readonly id: string
  /** True if it is the only target, and cannot be moved. */
  readonly isAlone: boolean
  readonly isCollectionShown: boolean
  readonly isReadOnly: boolean
  readonly handlers: ItemHandlers
  readonly onRemove: () => void
}

/** A target of a relation: its title, which opens a card, and the buttons that move and remove it. */
function ChosenTarget(props: ChosenTargetProps): ReactNode {
  const { reference, id, isAlone, isCollectionShown, isReadOnly, handlers, onRemove } = props
  const { t } = useTexts()
  const { collections } = useModel()
  const { text, status, exists } = useTitle(reference)
  const [isCardOpen, setCardOpen] = useState(false)
  const titleButton = useRef<HTMLButtonElement>(null)
  const isMovable = !isReadOnly && !isAlone
  return (
    <div className={styles.target}>
      {isMovable && (
        <span aria-hidden="true" className={listStyles.grip} onPointerDown={(event) => handlers.onGrip(id, event)}>
          <Icon name="grip" />
        </span>
      )}
      <button
        ref={titleButton}
        type="button"
        aria-haspopup="dialog"
        disabled={!exists}
        className={styles.title}
        onClick={() => setCardOpen(true)}
      >
        <bdi dir="auto">{text}</bdi>
      </button>
      {isCollectionShown && (
        <span className={styles.collection}>
          {collections.get(reference.collection)?.label ?? toLabel(reference.collection)}
        </span>
      )}
      {status !== undefined && (
        <Badge tone={status === 'published' ? 'good' : 'neutral'}>
          {getStatusLabel(status, t, collections.get(reference.collection))}
        </Badge>
      )}
      {isMovable && <ItemMenuButton id={id} name={text} handlers={handlers} />}
      {!isReadOnly && (
        <button type="button" aria-label={t.fields.removeNamed(text)} className={listStyles.more} onClick={onRemove}>
          <Icon name="close" />
        </button>
      )}
      {isCardOpen && (
        <Suspense fallback={null}>
          <TargetCard reference={reference} title={text} anchor={titleButton} onClose={() => setCardOpen(false)} />
        </Suspense>
      )}
    </div>
  )
}
