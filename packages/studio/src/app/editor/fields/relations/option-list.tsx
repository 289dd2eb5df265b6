import { type KeyboardEvent, type ReactNode, useId, useState } from 'react'
import type { ListItem } from '../../../api/live-changes.ts'
import { useTexts } from '../../../messages/messages.tsx'
import { getEntryTitle, type StudioCollection } from '../../../model/studio-model.ts'
import { Badge } from '../../../ui/badge.tsx'
import fieldStyles from '../../../ui/controls/field.module.css'
import { Icon } from '../../../ui/icon.tsx'
import { useVirtualRows } from '../../../ui/use-virtual-rows.ts'
import styles from './picker.module.css'
import type { Choices } from './use-choices.ts'

export interface OptionListProps {
  readonly label: string
  readonly collection: StudioCollection
  readonly choices: Choices
  readonly typed: string
  readonly onType: (text: string) => void
  readonly isMany: boolean
  readonly isChosen: (id: string) => boolean
  readonly onToggle: (id: string) => void
}

/** The estimated height of an option, in pixels. */
const ROW_PX = 44
const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }

/** A search field with its results (ARIA combobox). Only visible options are rendered. */
export function OptionList(props: OptionListProps): ReactNode {
  const { label, collection, choices, typed, onType, isMany, isChosen, onToggle } = props
  const { items, total, isStale, loadMore } = choices
  const id = useId()
  const [active, setActive] = useState(0)
  const { box, rows } = useVirtualRows(items.length, ROW_PX, loadMore)
  const activate = (index: number): void => {
    const nextIndex = Math.max(0, Math.min(index, items.length - 1))
    setActive(nextIndex)
    rows.scrollToIndex(nextIndex)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = STEPS[event.key]
    const activeItem = items[active]
    if (step !== undefined) activate(active + step)
    // Enter must not pick a result of the previous search.
    else if (event.key === 'Enter' && activeItem && !isStale) onToggle(activeItem.id)
    if (step !== undefined || event.key === 'Enter') event.preventDefault()
  }
  return (
    <>
      <div className={styles.search}>
        <Icon name="search" />
        <input
          type="text"
          role="combobox"
          // biome-ignore lint/a11y/noAutofocus: the dialog is opened to search
          autoFocus
          aria-label={label}
          placeholder={label}
          aria-expanded="true"
          aria-autocomplete="list"
          aria-controls={`${id}-list`}
          aria-activedescendant={items[active] && !isStale ? `${id}-${active}` : undefined}
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onChange={(event) => {
            onType(event.target.value)
            setActive(0)
          }}
          onKeyDown={onKeyDown}
          className={fieldStyles.input}
        />
      </div>
      <div ref={box} className={styles.box}>
        <div
          id={`${id}-list`}
          role="listbox"
          aria-label={label}
          aria-multiselectable={isMany}
          aria-busy={isStale}
          className={styles.options}
          style={{ blockSize: rows.getTotalSize() }}
        >
          {rows.getVirtualItems().map(({ index, start }) => {
            const item = items[index]
            return (
              item && (
                <div
                  key={item.id}
                  id={`${id}-${index}`}
                  ref={rows.measureElement}
                  data-index={index}
                  role="option"
                  tabIndex={-1}
                  aria-selected={isChosen(item.id)}
                  aria-setsize={total ?? -1}
                  aria-posinset={index + 1}
                  data-active={index === active}
                  className={styles.option}
                  style={{ transform: `translateY(${start}px)` }}
                  onPointerDown={(event) => event.preventDefault()}
                  onClick={() => {
                    setActive(index)
                    onToggle(item.id)
                  }}
                  onKeyDown={onKeyDown}
                >
                  <OptionText collection={collection} item={item} />
                  {isChosen(item.id) && <Icon name="check" />}
                </div>
              )
            )
          })}
        </div>
      </div>
    </>
  )
}

function OptionText({
  collection,
  item,
}: {
  readonly collection: StudioCollection
  readonly item: ListItem
}): ReactNode {
  const { t } = useTexts()
  const status = collection.statusField === null ? undefined : item[collection.statusField]
  return (
    <>
      <bdi dir="auto" className={styles.text}>
        {getEntryTitle(collection, item) ?? t.lists.untitled}
      </bdi>
      {typeof status === 'string' && <Badge tone={status === 'published' ? 'good' : 'neutral'}>{status}</Badge>}
    </>
  )
}
