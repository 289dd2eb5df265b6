import type { Caller } from '../auth/adapter.ts'
import { askInGeneral, ruleOf } from '../content/access/rules.ts'
import { DaybookError, StartupError } from '../errors.ts'
import type { Model } from '../model/model.ts'
import type { Route } from './contract.ts'

/**
 * A session route needs one, unless the config has a rule of its own for what it does.
 *
 * @throws UNAUTHORIZED
 */
export async function requireSessionOrRule(model: Model, route: Route, caller: Caller): Promise<void> {
  if (!(await isOpenByRule(model, route, caller))) throw new DaybookError('UNAUTHORIZED')
}

/**
 * Whether a rule of the config may let somebody through.
 *
 * @throws INTERNAL_ERROR when the rule fails
 */
export async function isOpenByRule(model: Model, { resource, action }: Route, caller: Caller): Promise<boolean> {
  const rule = resource && action && ruleOf(resource, action)
  return (
    rule !== undefined &&
    (await askInGeneral(
      model,
      resource as NonNullable<Route['resource']>,
      action as NonNullable<Route['action']>,
      rule,
      caller,
    )) !== false
  )
}

const PROTECTIONS: readonly unknown[] = ['public', 'session', 'provider']

/**
 * Refuses routes that do not declare their protection: one without a protection, and one that changes content
 * without naming the action whose rule is to be asked.
 *
 * @throws {StartupError} with every such route
 */
export function requireProtection(routes: readonly Route[]): void {
  const faults = routes.flatMap(({ method, path, protection, resource, action, changesNothing }) => {
    if (!PROTECTIONS.includes(protection)) return [`${method} ${path} has no protection; write public or session`]
    const isUnruled = resource !== undefined && method !== 'GET' && action === undefined && !changesNothing
    return isUnruled ? [`${method} ${path} changes content; name its action, so that the config's rule is asked`] : []
  })
  if (faults.length > 0) throw new StartupError(`Routes without protection:\n  ${faults.join('\n  ')}`)
}
