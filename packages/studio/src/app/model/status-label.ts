import type { Messages } from '../messages/en.ts'
import { labelOf } from './studio-model.ts'

/** What a status is called: those that every config may have, in the reader's language; others by the word of the config. */
export function statusLabel(status: string, { publishing }: Messages): string {
  const { statuses } = publishing
  return (Object.hasOwn(statuses, status) ? statuses[status] : undefined) ?? labelOf(status)
}
