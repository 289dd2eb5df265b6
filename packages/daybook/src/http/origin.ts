import type { AuthContext } from '../auth/adapter.ts'
import type { CorsConfig } from '../config/config.ts'
import { DaybookError } from '../errors.ts'

const REFUSAL = "A page of another origin may not do this with the browser's cookies. List its origin in cors.origins."

/**
 * Refuses what a page of another origin makes a browser send: cookies go along from any page. Programs send
 * neither `Origin` nor `Sec-Fetch-Site` (Fetch Metadata), and pass.
 *
 * @throws FORBIDDEN
 */
export function requireOwnOrigin({ headers, origin: own }: AuthContext, cors: CorsConfig | undefined): void {
  const origin = headers.get('origin')
  if (origin === null) {
    const site = headers.get('sec-fetch-site') ?? 'none'
    if (site !== 'same-origin' && site !== 'none') throw new DaybookError('FORBIDDEN', REFUSAL)
    return
  }
  const isAllowed = cors?.credentials === true && cors.origins.includes(origin)
  // A proxy may speak TLS for a service that does not know of it, so schemes are not compared.
  if (!isAllowed && hostOf(origin) !== hostOf(own)) throw new DaybookError('FORBIDDEN', REFUSAL)
}

/** `null`, the origin of sandboxed pages, has no host. */
const hostOf = (origin: string): string | undefined => URL.parse(origin)?.host
