import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Returns the network of a client in a normal form: the IPv4 address, or the first 64 bits of the IPv6 address (RFC 6177). */
export function getClientNetwork(address: string | null): string {
  if (address === null || isIP(address) === 0) return 'unknown'
  const parsed = ipaddr.process(address)
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString()
  const network = parsed.parts.slice(0, 4).map((part) => part.toString(16))
  return `${network.join(':')}::/64`
}
