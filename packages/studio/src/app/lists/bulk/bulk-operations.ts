import type { ListItem } from '../../api/client.ts'
import type { StudioCollection } from '../../model/studio-model.ts'

export type BulkAction =
  | { readonly kind: 'publish' | 'unpublish' | 'delete' }
  | { readonly kind: 'set'; readonly field: string; readonly value: unknown }

/** The kinds of actions that the Studio offers; `archive` sets the status. */
export type BulkKind = 'publish' | 'unpublish' | 'archive' | 'set' | 'delete'

/** An operation of a batch request. */
export interface BulkOperation {
  readonly op: 'publish' | 'unpublish' | 'delete' | 'update'
  readonly collection: string
  readonly id: string
  readonly ifMatch?: '*'
  readonly data?: Readonly<Record<string, unknown>>
}

const ARCHIVED = 'archived'

/** Returns the actions that the user may perform on at least some entries. */
export function getBulkKinds({ permissions, statusField, fields }: StudioCollection): readonly BulkKind[] {
  const canUpdate = permissions.update !== false
  const status = fields.find(({ key }) => key === statusField)
  const canPublish = canUpdate && status?.writable === true
  const canArchive = canPublish && status?.options?.includes(ARCHIVED) === true
  return [
    ...(canPublish ? (['publish', 'unpublish'] as const) : []),
    ...(canArchive ? (['archive'] as const) : []),
    ...(canUpdate && getSettableFields(fields).length > 0 ? (['set'] as const) : []),
    ...(permissions.delete !== false ? (['delete'] as const) : []),
  ]
}

export const makeArchiveAction = ({ statusField }: StudioCollection): BulkAction => ({
  kind: 'set',
  field: statusField ?? '',
  value: ARCHIVED,
})

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

export const getSettableFields = (fields: StudioCollection['fields']): StudioCollection['fields'] =>
  fields.filter(
    ({ type, many, writable, unique, relation }) =>
      SETTABLE.has(type) && !many && writable && !unique && !Array.isArray(relation?.to),
  )

/** Returns the fields that tell if an action changes an entry. */
export const getNeededFields = ({ statusField }: StudioCollection, action: BulkAction): readonly string[] =>
  action.kind === 'set' ? [action.field] : statusField === null ? [] : [statusField]

export function wouldChange({ statusField }: StudioCollection, action: BulkAction, item: ListItem): boolean {
  if (action.kind === 'delete') return true
  if (action.kind === 'set') return JSON.stringify(item[action.field] ?? null) !== JSON.stringify(action.value)
  const isPublished = statusField !== null && item[statusField] === 'published'
  return action.kind === 'publish' ? !isPublished || item.hasDraft === true : isPublished
}

export function toOperation({ key, requireIfMatch }: StudioCollection, action: BulkAction, id: string): BulkOperation {
  const target = { collection: key, id, ...(requireIfMatch ? { ifMatch: '*' as const } : {}) }
  return action.kind === 'set'
    ? { op: 'update', ...target, data: { [action.field]: action.value } }
    : { op: action.kind, ...target }
}
