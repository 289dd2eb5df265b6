import type { ReactNode } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import { statusLabel } from '../../model/status-label.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import type { ListView } from '../list-view.ts'

/** What stands in the place of rows: nothing was found, or nothing is there. */
export function EmptyList({ view, children }: { readonly view: ListView; readonly children: ReactNode }): ReactNode {
  const { t } = useTexts()
  const { search, collection, change } = view
  const { q, status, where } = search
  if (where !== undefined) {
    return (
      <Notice icon="search" title={t.lists.noneFound} text={t.lists.noneMatch}>
        <Button onPress={() => change({ where: undefined, q: undefined, status: undefined })}>
          {t.lists.clearFilter}
        </Button>
      </Notice>
    )
  }
  if (q !== undefined) {
    return (
      <Notice icon="search" title={t.lists.noneFound} text={t.lists.noneFoundText(q)}>
        <Button onPress={() => change({ q: undefined })}>{t.lists.clearSearch}</Button>
      </Notice>
    )
  }
  if (status !== undefined) {
    return (
      <Notice icon="search" title={t.lists.noneFound} text={t.lists.noneOfStatus(statusLabel(status, t))}>
        <Button onPress={() => change({ status: undefined })}>{t.lists.showAll}</Button>
      </Notice>
    )
  }
  return (
    <Notice icon="collection" title={t.lists.empty} text={collection.description ?? t.lists.emptyText}>
      {children}
    </Notice>
  )
}
