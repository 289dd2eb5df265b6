import { DaybookError } from '@daybook/client'
import type { ReactNode } from 'react'
import { getErrorText, getIssueText, getRequestId } from '../../api/error-texts.ts'
import type { Messages } from '../../messages/en.ts'
import { useTexts } from '../../messages/messages.tsx'
import { getStatusLabel } from '../../model/studio-model.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import type { ListView } from '../list-view.ts'

export interface ListErrorProps {
  readonly view: ListView
  readonly error: unknown
  readonly onRetry: () => void
}

/** Replaces a list that failed to load. */
export function ListError({ view, error, onRetry }: ListErrorProps): ReactNode {
  const { t } = useTexts()
  const { search, change } = view
  const id = getRequestId(error)
  const isNarrowed = [search.where, search.q, search.status].some((param) => param !== undefined)
  return (
    <div role="alert">
      <Notice
        icon="warning"
        title={t.lists.broken}
        text={isInvalidQuery(error) ? t.lists.brokenQuery(formatReason(error, t)) : getErrorText(error, t)}
        reference={id !== undefined && !isInvalidQuery(error) ? t.errors.reference(id) : undefined}
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

/** True if the query is invalid for the service, or for the client, which then sends no request. */
const isInvalidQuery = (error: unknown): error is Error =>
  error instanceof TypeError || (error instanceof DaybookError && error.status === 400)

/** Formats the issues of an invalid query, or the English message of the client. */
function formatReason(error: Error, t: Messages): string {
  const issues = error instanceof DaybookError ? (error.details.issues ?? []) : []
  return issues.length === 0 ? error.message : issues.map((issue) => getIssueText(issue, t)).join(' ')
}

/** Replaces the rows if no entry matches or the collection is empty. */
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
      <Notice
        icon="search"
        title={t.lists.noneFound}
        text={t.lists.noneOfStatus(getStatusLabel(status, t, collection))}
      >
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
