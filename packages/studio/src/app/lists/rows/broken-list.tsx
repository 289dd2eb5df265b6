import { DaybookError } from '@daybook/client'
import type { ReactNode } from 'react'
import type { Messages } from '../../messages/en.ts'
import { useTexts } from '../../messages/messages.tsx'
import { errorText, requestIdOf } from '../../talk/error-texts.ts'
import { issueText } from '../../talk/issue-text.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import type { ListView } from '../list-view.ts'

/** What a {@link BrokenList} takes. */
export interface BrokenListProps {
  readonly view: ListView
  readonly error: unknown
  readonly onRetry: () => void
}

/** What stands in the place of rows that could not be loaded at all, with the way out. */
export function BrokenList({ view, error, onRetry }: BrokenListProps): ReactNode {
  const { t } = useTexts()
  const { search, change } = view
  const id = requestIdOf(error)
  const isNarrowed = [search.where, search.q, search.status].some((one) => one !== undefined)
  return (
    <div role="alert">
      <Notice
        icon="warning"
        title={t.lists.broken}
        text={isRefused(error) ? t.lists.brokenQuery(refusal(error, t)) : errorText(error, t)}
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
  return issues.length === 0 ? error.message : issues.map((issue) => issueText(issue, t)).join('; ')
}
