import { DaybookError } from '@daybook/client'
import type { Messages } from '../../messages/en.ts'
import { errorText } from '../../talk/error-texts.ts'
import { issueText } from '../../talk/issue-text.ts'

/** Why a file was not stored, in the reader's words. */
export function uploadErrorText(error: unknown, t: Messages): string {
  const [issue] = error instanceof DaybookError ? (error.details.issues ?? []) : []
  if (issue?.code === 'accept') return t.assets.refusedType(issue.message)
  return issue === undefined ? errorText(error, t) : issueText(issue, t)
}
