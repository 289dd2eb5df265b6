import type { CollectionModel } from '../model/model.ts'
import { type Condition, conjuncts } from './where.ts'

/** Which entries are meant: in which statuses, and what else they hold. */
export interface StatusAndRest {
  /** `undefined`: entries of any status. */
  readonly statuses: readonly string[] | undefined
  readonly where: Condition | undefined
}

/**
 * Takes out of a filter what it says of the status. Statuses are counted, and stand in every index, so that a rule which lets readers see
 * what is published costs no more than drafts do.
 *
 * @param statuses those that are meant anyway
 */
export function takeStatus(
  { status }: CollectionModel,
  statuses: readonly string[] | undefined,
  where: Condition | undefined,
): StatusAndRest {
  if (!status || !where) return { statuses, where }
  const parts = conjuncts(where)
  const taken = parts.filter(isAboutStatus)
  if (taken.length === 0) return { statuses, where }
  const rest = parts.filter((part) => !taken.includes(part))
  return {
    statuses: (statuses ?? status.values).filter((one) => taken.every((part) => statusMatches(part, one))),
    where: rest.length === 0 ? undefined : { kind: 'all', of: rest },
  }
}

/** Whether the status alone tells if it holds. Nothing is said where there is no part, as in an `or` of nothing. */
function isAboutStatus(condition: Condition): boolean {
  if (condition.kind === 'all' || condition.kind === 'any') {
    return condition.of.length > 0 && condition.of.every(isAboutStatus)
  }
  return condition.kind === 'compare' && condition.by.column === 'status' && STATUS_OPERATORS.has(condition.operator)
}

/** Operators that ask about a status as a whole. */
const STATUS_OPERATORS: ReadonlySet<string> = new Set(['eq', 'in', 'exists'])

function statusMatches(condition: Condition, status: string): boolean {
  if (condition.kind === 'all') return condition.of.every((one) => statusMatches(one, status))
  if (condition.kind === 'any') return condition.of.some((one) => statusMatches(one, status))
  if (condition.kind !== 'compare') return false
  return (condition.operator === 'exists' || condition.values.includes(status)) !== condition.negated
}
