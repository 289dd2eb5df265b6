import { DaybookError } from '@daybook/client'
import type { ReactNode } from 'react'
import { getErrorText, getIssueText, getRequestId } from '../../api/error-texts.ts'
import type { Messages } from '../../messages/en.ts'
import { useTexts } from '../../messages/messages.tsx'
import { getStatusLabel } from '../../model/studio-model.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import type { ListView } from '../list-view.ts'

/** What a {@link ListError} takes. */
export interface ListErrorProps {
  readonly view: ListView
  readonly error: unknown
  readonly onRetry: () => void
}

/** What stands in the place of rows that could not be loaded at all, with the way out. */
export function ListError({ view, error, onRetry }: ListErrorProps): ReactNode {
  const { t } = useTexts()
  const { search, change } = view
  const id = getRequestId(error)
  const isNarrowed = [search.where, search.q, search.status].some((one) => one !== undefined)
  return (
    <div role="alert">
      <Notice
        icon="warning"
        title={t.lists.broken}
        text={isRefused(error) ? t.lists.brokenQuery(refusal(error, t)) : getErrorText(error, t)}
        reference={id !== undefined && !isRefused(error) ? t.errors.reference(id) : undefined}
      >
        <Button variant="primary" onPress={onRetry}>
          {t.common.retry}
        </Button>
        {isNarrowed && (
          <Button onPress={() => change({ where: undefined, q: undefined, status: undefined })}>
            {t.lists.showAll}
          </Button>
        )}
      </Notice>
    </div>
  )
}

/** Whether what was asked for means nothing: to the service, or to the client, which then sends nothing. */
const isRefused = (error: unknown): error is Error =>
  error instanceof TypeError || (error instanceof DaybookError && error.status === 400)

/** What the service says of it; the client's own sentences are in English. */
function refusal(error: Error, t: Messages): string {
  const issues = error instanceof DaybookError ? (error.details.issues ?? []) : []
  return issues.length === 0 ? error.message : issues.map((issue) => getIssueText(issue, t)).join('; ')
}

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
      <Notice icon="search" title={t.lists.noneFound} text={t.lists.noneOfStatus(getStatusLabel(status, t))}>
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
