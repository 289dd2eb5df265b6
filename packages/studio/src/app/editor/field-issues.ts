import type { Issue } from 'daybook'
import { createContext, useContext, useMemo } from 'react'
import { useTexts } from '../messages/messages.tsx'
import { issueText } from '../talk/issue-text.ts'

/** What is wrong with values, by their places with dots between, items by their index: `tags.0.name`. */
export type FieldIssues = ReadonlyMap<string, string>

/** Gives {@link useFieldIssue} to a form. */
export const FieldIssuesContext = createContext<FieldIssues>(new Map())

/** What is wrong with the value at a place itself; `undefined` where nothing is. */
export const useFieldIssue = (place: string): string | undefined => useContext(FieldIssuesContext).get(place)

/** Issues of the service by their places; the first one of each counts. The same object for as long as they say the same. */
export function useFieldIssues(issues: readonly Issue[]): FieldIssues {
  const { t } = useTexts()
  const told = JSON.stringify(
    issues.map((issue) => [issue.path.replace(/^\//, '').replaceAll('/', '.'), issueText(issue, t)]),
  )
  return useMemo(() => new Map((JSON.parse(told) as [string, string][]).toReversed()), [told])
}
