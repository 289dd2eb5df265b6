import { useVirtualizer } from '@tanstack/react-virtual'
import { lazy, type ReactNode, Suspense, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { useTexts } from '../../../messages/messages.tsx'
import { toLabel } from '../../../model/studio-model.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { MenuItem, PopupMenu } from '../../../ui/overlays/menu.tsx'
import unseen from '../../../ui/visually-hidden.module.css'
import { createItemHandlers, type ItemHandlers, type OpenMenu } from '../lists/item-handlers.ts'
import { ItemMenuButton } from '../lists/item-menu.tsx'
import list from '../lists/list.module.css'
import { ListCommands } from '../lists/list-commands.ts'
import { useDeferredFocus } from '../lists/use-item-list.ts'
import styles from './relation.module.css'
import { getReferenceKey, type Reference } from './relation-targets.ts'
import { useTitle } from './use-title.ts'

/** What {@link ChosenTargets} take. */
export interface ChosenTargetsProps {
  readonly references: readonly Reference[]
  /** Whether each one says its collection. */
  readonly isCollectionShown: boolean
  readonly isReadOnly: boolean
  readonly onChange: (references: readonly Reference[]) => void
}

/** The height of a row until it is measured, in pixels. */
const ROW_PX = 44
const NO_FOLDS = { set: () => undefined, setAll: () => undefined }

/** The entries that a field refers to, in order; only those that are seen are drawn, and looked up. */
export function ChosenTargets({
  references,
  isCollectionShown: isTold,
  isReadOnly,
  onChange,
}: ChosenTargetsProps): ReactNode {
  const box = useRef<HTMLDivElement>(null)
  const [menu, setMenu] = useState<OpenMenu>()
  const [said, setSaid] = useState('')
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
    say: setSaid,
    box,
    show: (index) => rows.scrollToIndex(index),
  })
  const handlers = useMemo(() => createItemHandlers(commands, box, setMenu), [commands])
  const drawn = rows.getVirtualItems()
  if (references.length === 0) return null
  return (
    <div ref={box} className={styles.chosen}>
      <ol data-part="items" className={styles.rows} style={{ blockSize: rows.getTotalSize() }}>
        {drawn.map(({ index, start, key }) => {
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
                  isCollectionShown={isTold}
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
        {said}
      </p>
    </div>
  )
}

interface CommandProps extends Pick<ChosenTargetsProps, 'references' | 'onChange'> {
  readonly ids: readonly string[]
  readonly say: (text: string) => void
  readonly box: { readonly current: HTMLDivElement | null }
  readonly show: (index: number) => void
}

/** What changes the order; the same object as long as the field is there. */
function useCommands({ box, say, ...props }: CommandProps): ListCommands {
  const { t } = useTexts()
  const focus = useDeferredFocus(box, props.references)
  const now = useRef({ ...props, t })
  useLayoutEffect(() => {
    now.current = { ...props, t }
  })
  return useMemo(
    () =>
      new ListCommands({
        getList: () => ({
          field: {},
          items: now.current.references,
          ids: now.current.ids,
          kinds: [],
          t: now.current.t,
        }),
        getId: (item) => getReferenceKey(item as Reference),
        setItems: (items) => now.current.onChange(items as readonly Reference[]),
        folds: NO_FOLDS,
        focus: (id, part) => {
          focus(id, part)
          if (id !== undefined) requestAnimationFrame(() => now.current.show(now.current.ids.indexOf(id)))
        },
        announce: say,
      }),
    [focus, say],
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

const TargetGlimpse = lazy(() => import('./target-card.tsx').then((module) => ({ default: module.TargetCard })))

/** What a {@link ChosenTarget} takes. */
interface ChosenTargetProps {
  readonly reference: Reference
  readonly id: string
  /** Whether there is no other one to move it past. */
  readonly isAlone: boolean
  readonly isCollectionShown: boolean
  readonly isReadOnly: boolean
  readonly handlers: ItemHandlers
  readonly onRemove: () => void
}

/** One entry that a field refers to: its title, a glimpse of it, and what moves and removes it. */
function ChosenTarget(props: ChosenTargetProps): ReactNode {
  const { reference, id, isAlone, isCollectionShown: isTold, isReadOnly, handlers, onRemove } = props
  const { t } = useTexts()
  const { text, status, exists: isThere } = useTitle(reference)
  const [isSeen, setSeen] = useState(false)
  const opener = useRef<HTMLButtonElement>(null)
  const isMovable = !isReadOnly && !isAlone
  return (
    <div className={styles.target}>
      {isMovable && (
        <span aria-hidden="true" className={list.grip} onPointerDown={(event) => handlers.onGrip(id, event)}>
          <Icon name="grip" />
        </span>
      )}
      <button
        ref={opener}
        type="button"
        aria-haspopup="dialog"
        disabled={!isThere}
        className={styles.title}
        onClick={() => setSeen(true)}
      >
        <bdi dir="auto">{text}</bdi>
      </button>
      {isTold && <span className={styles.collection}>{toLabel(reference.collection)}</span>}
      {status !== undefined && <Badge tone={status === 'published' ? 'good' : 'neutral'}>{status}</Badge>}
      {isMovable && <ItemMenuButton id={id} name={text} handlers={handlers} />}
      {!isReadOnly && (
        <button type="button" aria-label={t.fields.removeNamed(text)} className={list.more} onClick={onRemove}>
          <Icon name="close" />
        </button>
      )}
      {isSeen && (
        <Suspense fallback={null}>
          <TargetGlimpse reference={reference} title={text} anchor={opener} onClose={() => setSeen(false)} />
        </Suspense>
      )}
    </div>
  )
}
