import { DaybookError } from '@daybook/client'
import { useQueryClient } from '@tanstack/react-query'
import type { Issue } from 'daybook'
import { useState } from 'react'
import { getErrorText } from '../../api/error-texts.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { useStudio } from '../../api/studio.ts'
import { useTexts } from '../../messages/messages.tsx'
import type { StudioCollection } from '../../model/studio-model.ts'
import { useSession } from '../../session/use-session.ts'
import { useToast } from '../../ui/overlays/toasts.tsx'
import { callAs } from '../document/session-renewal.ts'
import { focusField } from '../focus-field.ts'
import type { DocumentEditor } from '../saving/document-editor.ts'
import type { Values } from '../saving/field-values.ts'
import { getEntryCalls } from './entry-calls.ts'

type ActionCalls = ReturnType<typeof getEntryCalls>

/** Something that is done with a stored entry as a whole. */
export interface EntryTask {
  readonly name: string
  /** Said when it is done. */
  readonly successText: string
  /** Whether what is seen is saved first. @default true */
  readonly savesFirst?: boolean
  readonly call: (calls: ActionCalls, entry: { readonly id: string; readonly tag: string }) => Promise<unknown>
}

/** What is being done with an entry, and what came of it. */
export interface EntryWork {
  /** The name of what is under way. */
  readonly pending: string | undefined
  /** What the service said against the last task, as far as the values are still those that it saw. */
  readonly issues: readonly Issue[]
  /** @returns whether it was done */
  readonly run: (task: EntryTask) => Promise<boolean>
}

/** What the service said against a task, and of which values. */
interface Refusal {
  readonly issues: readonly Issue[]
  readonly values: Values
}

/** Does what is done with an entry as a whole: one task at a time, on what is seen, and in the name of the person who opened it. */
export function useEntryWork(editor: DocumentEditor, collection: StudioCollection, values: Values): EntryWork {
  const studio = useStudio()
  const queries = useQueryClient()
  const { identity } = useSession()
  const [person] = useState(identity?.subject ?? '')
  const [pending, setPending] = useState<string>()
  const [refusal, setRefusal] = useState<Refusal>()
  const { t } = useTexts()
  const toast = useToast()

  const fail = async (error: unknown): Promise<void> => {
    const issues = error instanceof DaybookError ? (error.details.issues ?? []) : []
    const isNewer = error instanceof DaybookError && error.status === 412
    if (isNewer) await editor.refresh()
    setRefusal({ issues, values: editor.getState().values })
    toast({ kind: 'failed', text: isNewer ? t.publishing.changedMeanwhile : getErrorText(error, t) })
    const [first] = issues
    if (first) requestAnimationFrame(() => focusField(placeOf(first)))
  }
  const attempt = async (task: EntryTask): Promise<boolean> => {
    if (task.savesFirst !== false && !(await isSaved(editor))) {
      toast({ kind: 'failed', text: t.publishing.notSaved })
      return false
    }
    const { document, tag, status } = editor.getState()
    if (status.kind === 'signed-out') {
      toast({ kind: 'failed', text: status.isOtherPerson ? t.saving.notices.otherPerson : t.saving.notices.signedOut })
      return false
    }
    if (document.id === null || tag === null) return false
    const entry = { id: document.id, tag }
    await callAs(studio, person, (client) => task.call(getEntryCalls(client, collection), entry))
    void queries.invalidateQueries({ queryKey: queryKeys.lists(collection.key) })
    return true
  }
  const run = async (task: EntryTask): Promise<boolean> => {
    if (pending !== undefined) return false
    setPending(task.name)
    setRefusal(undefined)
    try {
      const isDone = await attempt(task)
      if (isDone) toast({ text: task.successText })
      return isDone
    } catch (error) {
      await fail(error)
      return false
    } finally {
      setPending(undefined)
    }
  }
  const issues = refusal?.issues.filter((issue) => isUnchanged(issue, refusal.values, values)) ?? []
  return { pending, issues, run }
}

/** Saves what is not saved. @returns whether all that is seen is stored */
async function isSaved(editor: DocumentEditor): Promise<boolean> {
  await editor.flush()
  return editor.getState().dirty.size === 0
}

const placeOf = ({ path }: Issue): string => path.replace(/^\//, '').replaceAll('/', '.')

/** An issue goes once its field is edited: only the service knows whether that was enough. */
function isUnchanged({ path }: Issue, seen: Values, now: Values): boolean {
  const [, key = ''] = path.split('/')
  return Object.is(seen[key], now[key])
}
