import { permissionsOf } from '../content/permissions.ts'
import { readNothing } from '../query/entry-query.ts'
import { fromResponse, type Reply } from './respond.ts'
import type { RouteRequest } from './routes.ts'

const PRIVATE = { 'Cache-Control': 'private, no-store', Vary: 'Authorization, Cookie, Origin' }

/** Who is asking, as far as the service knows. */
export async function session({ query, caller, auth }: RouteRequest): Promise<Reply> {
  readNothing(query)
  return { status: 200, json: auth.tell(caller), headers: PRIVATE }
}

/** What the asker may do. */
export async function permissions({ engine, query, caller }: RouteRequest): Promise<Reply> {
  readNothing(query)
  return { status: 200, json: JSON.stringify(await permissionsOf(engine.model, caller)), headers: PRIVATE }
}

/** Actions that passwords could be guessed by. */
const COUNTED_ACTIONS = ['login', 'register']
/** What in an address of a provider promises the same. */
const COUNTED_ADDRESS = /sign-?in|sign-?up|login|register|password|verif|otp|two-factor|magic|callback/i

/** Runs an action of the auth adapter. */
export async function action({ auth, path, context, attempt, input }: RouteRequest): Promise<Reply> {
  const name = path.action ?? ''
  if (COUNTED_ACTIONS.includes(name)) await attempt()
  return fromResponse(await auth.invoke(name, await input(), context()))
}

/** Passes a request on to the provider's own routes. */
export async function provider({ auth, context, attempt, forward }: RouteRequest): Promise<Reply> {
  const request = await forward()
  if (request.method !== 'GET' && COUNTED_ADDRESS.test(new URL(request.url).pathname)) await attempt()
  return fromResponse(await auth.handle(request, context()))
}
