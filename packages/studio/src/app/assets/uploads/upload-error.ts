import { DaybookError } from '@daybook/client'
import type { Messages } from '../../messages/en.ts'
import { errorText } from '../../talk/error-texts.ts'
import { issueText } from '../../talk/issue-text.ts'

/** Why a file was not stored, in the reader's words. */
export function uploadErrorText(error: unknown, t: Messages): string {
  const [issue] = error instanceof DaybookError ? (error.details.issues ?? []) : []
  if (issue === undefined) return errorText(error, t)
  const text = issueText(issue, t)
  return issue.code === 'accept' ? t.assets.refusedType(text) : text
}
