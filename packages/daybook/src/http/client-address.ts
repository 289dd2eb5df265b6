import { isIP } from 'node:net'
import type { AuthContext } from '../auth/adapter.ts'
import type { HttpRequest } from './request.ts'

/**
 * The parts of a request that an auth adapter gets.
 *
 * @param proxies how many proxies in front of the service are trusted to tell the client's address and the scheme
 */
export function contextOf(request: HttpRequest, proxies: number): AuthContext {
  const headers = request.toHeaders()
  // Two credentials of two people would be one question with two answers.
  if (headers.has('authorization')) headers.delete('cookie')
  return { headers, address: clientAddress(request, proxies), origin: requestOrigin(request, proxies) }
}

/**
 * The address of the client. Each proxy adds the address of its own client to the end of `X-Forwarded-For`, so that with N trusted
 * ones the Nth from the end is the client; whatever stands before it may be forged.
 */
export function clientAddress({ headers, address }: HttpRequest, proxies: number): string | null {
  const claimed = proxies > 0 ? (headers.get('x-forwarded-for') ?? '').split(',') : []
  const found = claimed.at(-proxies)?.trim() ?? ''
  return isIP(found) > 0 ? found : address
}

function requestOrigin({ headers, origin }: HttpRequest, proxies: number): string {
  if (proxies === 0) return origin
  const [scheme, host] = origin.split('://')
  const last = (name: string): string | undefined => headers.get(name)?.split(',').at(-1)?.trim()
  const outer = `${last('x-forwarded-proto') ?? scheme}://${last('x-forwarded-host') ?? host}`
  return URL.canParse(outer) ? new URL(outer).origin : origin
}
