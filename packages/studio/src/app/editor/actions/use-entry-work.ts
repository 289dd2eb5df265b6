import { DaybookError } from '@daybook/client'
import { useQueryClient } from '@tanstack/react-query'
import type { Issue } from 'daybook'
import { useEffect, useRef, useState } from 'react'
import type { StudioClient } from '../../api/client.ts'
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

export interface EntryTask {
  readonly name: string
  readonly successText: string
  /** True if unsaved edits are saved first. @default true */
  readonly savesFirst?: boolean
  readonly call: (calls: ActionCalls, entry: { readonly id: string; readonly tag: string }) => Promise<unknown>
}

/** The running task of an entry, and the issues of the last one. */
export interface EntryWork {
  /** The name of the running task. */
  readonly pending: string | undefined
  /** The service's issues with the last task, without those of fields that were edited since. */
  readonly issues: readonly Issue[]
  /** @returns false if the task failed or could not start */
  readonly run: (task: EntryTask) => Promise<boolean>
}

/** The issues of a failed task, and the values at that time. */
interface FailedTask {
  readonly issues: readonly Issue[]
  readonly values: Values
}

/** Runs tasks on an entry, one at a time, in the name of the user who opened it. */
export function useEntryWork(editor: DocumentEditor, collection: StudioCollection, values: Values): EntryWork {
  const studio = useStudio()
  const queries = useQueryClient()
  const { identity } = useSession()
  const [person] = useState(identity?.subject ?? '')
  const [pending, setPending] = useState<string>()
  const [failure, setFailure] = useState<FailedTask>()
  const { t } = useTexts()
  const toast = useToast()
  const dismissFailure = useRef<(() => void) | undefined>(undefined)
  const showFailure = (text: string): void => {
    dismissFailure.current = toast({ kind: 'failed', text })
  }

  const handleError = async (error: unknown): Promise<void> => {
    const issues = error instanceof DaybookError ? (error.details.issues ?? []) : []
    const isNewer = error instanceof DaybookError && error.status === 412
    if (isNewer) await editor.refresh()
    setFailure({ issues, values: editor.getState().values })
    showFailure(isNewer ? t.publishing.changedMeanwhile : getErrorText(error, t))
    const [first] = issues
    if (first) requestAnimationFrame(() => focusField(toPlace(first)))
  }
  const execute = async (task: EntryTask): Promise<boolean> => {
    if (task.savesFirst !== false && !(await saveAll(editor))) {
      showFailure(t.publishing.notSaved)
      return false
    }
    const { document, tag, status } = editor.getState()
    if (status.kind === 'signed-out') {
      showFailure(status.isOtherPerson ? t.saving.notices.otherPerson : t.saving.notices.signedOut)
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
    setFailure(undefined)
    dismissFailure.current?.()
    try {
      const isDone = await execute(task)
      if (isDone) toast({ text: task.successText })
      return isDone
    } catch (error) {
      await handleError(error)
      return false
    } finally {
      setPending(undefined)
    }
  }
  const issues = failure?.issues.filter((issue) => isUnchanged(issue, failure.values, values)) ?? []
  const isMended = failure !== undefined && failure.issues.length > 0 && issues.length === 0
  useEffect(() => {
    if (isMended) dismissFailure.current?.()
  }, [isMended])
  return { pending, issues, run }
}

/** Saves pending edits. @returns true if everything is stored */
async function saveAll(editor: DocumentEditor): Promise<boolean> {
  await editor.flush()
  return editor.getState().dirty.size === 0
}

const toPlace = ({ path }: Issue): string => path.replace(/^\//, '').replaceAll('/', '.')

/** An issue disappears once its field is edited, since only the service can validate the new value. */
function isUnchanged({ path }: Issue, before: Values, now: Values): boolean {
  const [, key = ''] = path.split('/')
  return Object.is(before[key], now[key])
}

interface WriteOptions {
  readonly ifMatch?: string
}

interface PublishOptions extends WriteOptions {
  readonly at?: string
  readonly locales?: readonly string[]
}

export interface Referrer {
  readonly collection: string
  readonly id: string
  readonly field: string
}

/** The client's methods of a collection that actions use. The types know no model, since the Studio loads it at run time. */
interface ActionCalls {
  publish(id: string, options: PublishOptions): Promise<object>
  unpublish(id: string, options: PublishOptions): Promise<object>
  unschedule(id: string): Promise<void>
  discardDraft(id: string, options: WriteOptions): Promise<void>
  update(id: string, data: Values, options: WriteOptions): Promise<object>
  delete(id: string, options: WriteOptions): Promise<void>
  findMany(query: {
    readonly where: object
    readonly limit: number
  }): Promise<{ readonly items: readonly (Values & { id: string })[] }>
  references(id: string, query: { readonly limit: number }): Promise<{ total: number; items: readonly Referrer[] }>
}

export const getEntryCalls = (client: StudioClient, { key }: StudioCollection): ActionCalls =>
  client.collections[key] as unknown as ActionCalls
