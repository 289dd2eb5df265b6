import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** The network of a client: an address of IPv4, or a network of IPv6 with 64 bits (RFC 6177), however either is written. */
export function getClientNetwork(address: string | null): string {
  if (address === null || isIP(address) === 0) return 'unknown'
  const parsed = ipaddr.process(address)
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString()
  const network = parsed.parts.slice(0, 4).map((part) => part.toString(16))
  return `${network.join(':')}::/64`
}
