import { lazy, type ReactNode, Suspense, useRef, useState } from 'react'
import { useTexts } from '../../../messages/messages.tsx'
import { labelOf } from '../../../model/studio-model.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { ItemMenuButton } from '../item-menu-button.tsx'
import type { ItemHandlers } from '../lists/item-handlers.ts'
import list from '../lists/list.module.css'
import type { Reference } from './reference.ts'
import styles from './relation.module.css'
import { useTitle } from './use-title.ts'

const TargetGlimpse = lazy(() => import('./target-glimpse.tsx').then((module) => ({ default: module.TargetGlimpse })))

/** What a {@link ChosenTarget} takes. */
export interface ChosenTargetProps {
  readonly reference: Reference
  readonly id: string
  /** Whether there is no other one to move it past. */
  readonly isAlone: boolean
  readonly isTold: boolean
  readonly isReadOnly: boolean
  readonly handlers: ItemHandlers
  readonly onRemove: () => void
}

/** One entry that a field refers to: its title, a glimpse of it, and what moves and removes it. */
export function ChosenTarget(props: ChosenTargetProps): ReactNode {
  const { reference, id, isAlone, isTold, isReadOnly, handlers, onRemove } = props
  const { t } = useTexts()
  const { text, status, isThere } = useTitle(reference)
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
      {isTold && <span className={styles.collection}>{labelOf(reference.collection)}</span>}
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
