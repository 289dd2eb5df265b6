import type { ListItem } from '../../api/client.ts'
import type { StudioCollection } from '../../model/studio-model.ts'

/** Something to do with many entries. */
export type BulkAction =
  | { readonly kind: 'publish' | 'unpublish' | 'delete' }
  | { readonly kind: 'set'; readonly field: string; readonly value: unknown }

/** What can be done with the entries of a collection; archiving is setting the status. */
export type BulkKind = 'publish' | 'unpublish' | 'archive' | 'set' | 'delete'

/** An operation of a batch. */
export interface BulkOperation {
  readonly op: 'publish' | 'unpublish' | 'delete' | 'update'
  readonly collection: string
  readonly id: string
  readonly ifMatch?: '*'
  readonly data?: Readonly<Record<string, unknown>>
}

const ARCHIVED = 'archived'

/** What the session may do with at least some entries. */
export function getBulkKinds({ permissions, statusField, fields }: StudioCollection): readonly BulkKind[] {
  const mayUpdate = permissions.update !== false
  const status = fields.find(({ key }) => key === statusField)
  const mayPublish = mayUpdate && status?.writable === true
  const mayArchive = mayPublish && status?.options?.includes(ARCHIVED) === true
  return [
    ...(mayPublish ? (['publish', 'unpublish'] as const) : []),
    ...(mayArchive ? (['archive'] as const) : []),
    ...(mayUpdate && getSettableFields(fields).length > 0 ? (['set'] as const) : []),
    ...(permissions.delete !== false ? (['delete'] as const) : []),
  ]
}

/** What archiving an entry is. */
export const makeArchiveAction = ({ statusField }: StudioCollection): BulkAction => ({
  kind: 'set',
  field: statusField ?? '',
  value: ARCHIVED,
})

/** Types of single values that are set as they are. */
const SETTABLE: ReadonlySet<string> = new Set([
  'text',
  'number',
  'integer',
  'boolean',
  'select',
  'status',
  'date',
  'datetime',
  'email',
  'url',
  'relation',
])

/** The fields that can be set to one value in many entries. */
export const getSettableFields = (fields: StudioCollection['fields']): StudioCollection['fields'] =>
  fields.filter(
    ({ type, many, writable, unique, relation }) =>
      SETTABLE.has(type) && !many && writable && !unique && !Array.isArray(relation?.to),
  )

/** What has to be known of entries to say which of them an action changes. */
export const getNeededFields = ({ statusField }: StudioCollection, action: BulkAction): readonly string[] =>
  action.kind === 'set' ? [action.field] : statusField === null ? [] : [statusField]

/** Whether an action would change an entry at all. */
export function wouldChange({ statusField }: StudioCollection, action: BulkAction, item: ListItem): boolean {
  if (action.kind === 'delete') return true
  if (action.kind === 'set') return JSON.stringify(item[action.field] ?? null) !== JSON.stringify(action.value)
  const isPublished = statusField !== null && item[statusField] === 'published'
  return action.kind === 'publish' ? !isPublished || item.hasDraft === true : isPublished
}

/** The operation that does it to one entry. */
export function toOperation({ key, requireIfMatch }: StudioCollection, action: BulkAction, id: string): BulkOperation {
  const on = { collection: key, id, ...(requireIfMatch ? { ifMatch: '*' as const } : {}) }
  return action.kind === 'set'
    ? { op: 'update', ...on, data: { [action.field]: action.value } }
    : { op: action.kind, ...on }
}
