import { DaybookError } from '../../errors.ts'
import { type Caller, isHumanUser } from '../adapter.ts'

/** The role of people who administer the service. */
export const ADMINISTRATOR = 'admin'

/** Whether the caller is a person who administers the service. */
export function isAdministrator(caller: Caller): boolean {
  return isHumanUser(caller) && caller.identity?.roles.includes(ADMINISTRATOR) === true
}

/**
 * Sees that the caller may know how the service does: an administrator, or a program whose credential is for everything.
 *
 * @throws FORBIDDEN
 */
export function requireOperator(caller: Caller): void {
  const isService = caller.identity?.actorType === 'service' && caller.scopes === undefined
  if (isService || isAdministrator(caller)) return
  throw new DaybookError('FORBIDDEN', `Only people with the role "${ADMINISTRATOR}" and the service token may do that.`)
}
