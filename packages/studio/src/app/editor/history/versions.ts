import type { FieldDescription } from 'daybook'
import { toComparableText } from '../differences/text-difference.ts'
import { isRecord, type Values } from '../saving/field-values.ts'

/** A version, as a list of them has it. */
export interface Version {
  readonly revision: number
  /** ISO 8601. */
  readonly at: string
  /** The subject of a person; absent where this session may not know people. */
  readonly actor?: string
  readonly action: 'create' | 'update' | 'delete' | 'publish' | 'unpublish' | 'restore' | 'draft'
  readonly isDraft: boolean
  readonly erased?: true
}

/** A page of versions, newest first. */
export interface VersionPage {
  readonly items: readonly Version[]
  readonly nextCursor: string | null
}

/** A version with what the document said; `null`: it was deleted, or its content erased. */
export interface FullVersion extends Version {
  readonly data: Values | null
}

/** Which page of versions is asked for. */
export interface PageQuery {
  readonly limit: number
  readonly cursor: string | null
}

/** Ends a call. */
export interface AbortOptions {
  readonly signal: AbortSignal
}

/** The history of one document. */
export interface HistoryCalls {
  list(page: PageQuery, options: AbortOptions): Promise<VersionPage>
  get(revision: number, options: AbortOptions): Promise<FullVersion>
  /** Makes what a version says the working copy; where there is none, what readers see. */
  restore(revision: number): Promise<unknown>
}

/** A field that two versions say otherwise. */
interface ChangedField {
  /** Its keys, joined by dots. */
  readonly path: string
  readonly from: string
  readonly to: string
}

/** The fields that two versions say otherwise, one by one inside groups, in the order of the form. */
export function listChangedFields(
  fields: readonly FieldDescription[],
  from: Values,
  to: Values,
  around = '',
): readonly ChangedField[] {
  return fields.flatMap((field) => {
    const path = `${around}${field.key}`
    const [before, after] = [from[field.key], to[field.key]]
    if (field.type === 'reverse') return []
    if (field.type === 'group' && field.fields && !field.many)
      return listChangedFields(field.fields, membersOf(before), membersOf(after), `${path}.`)
    const change = { path, from: toComparableText(before, field), to: toComparableText(after, field) }
    return change.from === change.to ? [] : [change]
  })
}

const membersOf = (value: unknown): Values => (isRecord(value) ? value : {})
