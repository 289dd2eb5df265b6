import type { Caller } from '../auth/adapter.ts'
import { getRule, probeRule } from '../content/access/rules.ts'
import { DaybookError, ERRORS, StartupError } from '../errors.ts'
import type { Model } from '../model/model.ts'
import type { Route } from './contract.ts'
import type { RequestHeaders } from './request.ts'

/**
 * Rejects an anonymous request to a session route, unless the config has an access rule for its action.
 *
 * @throws UNAUTHORIZED
 */
export async function requireSessionOrRule(model: Model, route: Route, caller: Caller): Promise<void> {
  if (!(await isOpenByRule(model, route, caller))) throw new DaybookError('UNAUTHORIZED')
}

/**
 * True if an access rule of the config may admit the caller.
 *
 * @throws INTERNAL_ERROR if the rule throws
 */
export async function isOpenByRule(model: Model, { resource, action }: Route, caller: Caller): Promise<boolean> {
  const rule = resource && action && getRule(resource, action)
  return (
    rule !== undefined &&
    (await probeRule(
      model,
      resource as NonNullable<Route['resource']>,
      action as NonNullable<Route['action']>,
      rule,
      caller,
    )) !== false
  )
}

const TOKEN_REJECTED = 'The token is unknown or has expired. Send another one, or sign in again.'
const SCHEME = 'A session is required. Write the header as Authorization: Bearer TOKEN.'
const COOKIE_REJECTED = 'The request has no session cookie, or the session has ended. Sign in again.'

/** Adds the fault of the sent credential to an UNAUTHORIZED error; returns other errors unchanged. */
export function explainRejection(error: DaybookError, headers: RequestHeaders): DaybookError {
  const { code, message, details } = error
  if (code !== 'UNAUTHORIZED' || message !== ERRORS.UNAUTHORIZED.message) return error
  const authorization = headers.get('authorization')
  const isBearer = authorization !== null && /^bearer +\S/i.test(authorization)
  if (authorization !== null) return new DaybookError(code, isBearer ? TOKEN_REJECTED : SCHEME, details, error)
  return headers.has('cookie') ? new DaybookError(code, COOKIE_REJECTED, details, error) : error
}

const PROTECTIONS: readonly unknown[] = ['public', 'session', 'provider']

/**
 * Rejects routes without a protection, and routes that change content without an action, whose rule has to be evaluated.
 *
 * @throws {StartupError} that lists all such routes
 */
export function requireProtection(routes: readonly Route[]): void {
  const faults = routes.flatMap(({ method, path, protection, resource, action, changesNothing }) => {
    if (!PROTECTIONS.includes(protection)) return [`${method} ${path} has no protection; write public or session`]
    const isUnruled = resource !== undefined && method !== 'GET' && action === undefined && !changesNothing
    return isUnruled
      ? [`${method} ${path} changes content; name its action, so that the config's rule is evaluated`]
      : []
  })
  if (faults.length > 0) throw new StartupError(`Routes without protection:\n  ${faults.join('\n  ')}`)
}
