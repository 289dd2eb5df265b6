import type { Violation } from '../issues.ts'
import { unknownName } from '../nearest.ts'
import type { Caller } from './adapter.ts'

/** The actions on a collection or a global. */
export type ScopeAction = 'read' | 'create' | 'update' | 'delete'

/** `posts:update`, `posts:*`, `globals.site:update`, `*:read`, `export`, or `*` for everything. */
export type Scope = string

const ACTIONS: readonly string[] = ['read', 'create', 'update', 'delete', '*']
const EVERYTHING = '*'
const EXPORT_SCOPE = 'export'

export interface ScopedDocument {
  readonly kind: 'collection' | 'global'
  readonly key: string
}

const getScopeName = ({ kind, key }: ScopedDocument): string => (kind === 'global' ? `globals.${key}` : key)

/**
 * Returns the violation of a scope, or `undefined` if it is valid.
 *
 * @param documents all collections and globals of the config
 */
export function findScopeViolation(scope: Scope, documents: readonly ScopedDocument[]): Violation | undefined {
  if (scope === EVERYTHING || scope === EXPORT_SCOPE) return undefined
  const [name = '', action = '', ...rest] = scope.split(':')
  if (rest.length > 0 || !ACTIONS.includes(action)) {
    const message = `must be a collection or global and one of ${ACTIONS.join(', ')}, such as posts:update`
    return ['scope', message, { values: ACTIONS }]
  }
  if (name === '*' || documents.some((document) => getScopeName(document) === name)) return undefined
  const values = documents.map(getScopeName)
  return [
    'scope',
    `${unknownName('collection or global', name.slice(0, 64))} Use one of: ${values.join(', ')}.`,
    { values },
  ]
}

/** Returns true if the caller's scopes permit an action. Access rules apply besides. */
export function isInScope({ scopes }: Caller, document: ScopedDocument, action: ScopeAction): boolean {
  if (scopes === undefined || scopes.includes(EVERYTHING)) return true
  return [getScopeName(document), '*'].some(
    (name) => scopes.includes(`${name}:${action}`) || scopes.includes(`${name}:*`),
  )
}

/** Returns true if the caller's scopes cover a collection or global with any action. A scope to write it includes reading. */
export function canReach(caller: Caller, document: ScopedDocument): boolean {
  return (['read', 'create', 'update', 'delete'] as const).some((action) => isInScope(caller, document, action))
}

export function canExport({ scopes }: Caller): boolean {
  return scopes === undefined || scopes.includes(EVERYTHING) || scopes.includes(EXPORT_SCOPE)
}
