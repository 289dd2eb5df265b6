import type { FieldDescription } from 'daybook'
import { toComparableText } from '../differences/text-difference.ts'
import { isRecord, type Values } from '../saving/field-values.ts'

export interface Version {
  readonly revision: number
  /** ISO 8601. */
  readonly at: string
  /** The author's subject; absent if this session may not see authors. */
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

/** A version with the document's values; `data` is `null` if the document was deleted or its content erased. */
export interface FullVersion extends Version {
  readonly data: Values | null
}

export interface PageQuery {
  readonly limit: number
  readonly cursor: string | null
}

export interface AbortOptions {
  readonly signal: AbortSignal
}

export interface HistoryCalls {
  list(page: PageQuery, options: AbortOptions): Promise<VersionPage>
  get(revision: number, options: AbortOptions): Promise<FullVersion>
  /** Restores a version as the draft, or as the public document if there are no drafts. */
  restore(revision: number): Promise<unknown>
}

interface ChangedField {
  /** The dotted path. */
  readonly path: string
  readonly from: string
  readonly to: string
}

/** Lists the fields that differ between two versions, in the order of the form. Fields of groups are listed separately. */
export function listChangedFields(
  fields: readonly FieldDescription[],
  from: Values,
  to: Values,
  prefix = '',
): readonly ChangedField[] {
  return fields.flatMap((field) => {
    const path = `${prefix}${field.key}`
    const [before, after] = [from[field.key], to[field.key]]
    if (field.type === 'reverse') return []
    if (field.type === 'group' && field.fields && !field.many)
      return listChangedFields(field.fields, getMembers(before), getMembers(after), `${path}.`)
    const change = { path, from: toComparableText(before, field), to: toComparableText(after, field) }
    return change.from === change.to ? [] : [change]
  })
}

const getMembers = (value: unknown): Values => (isRecord(value) ? value : {})
