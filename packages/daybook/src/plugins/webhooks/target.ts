import ipaddr from 'ipaddr.js'

/** Names that stand for the machine itself (RFC 6761, section 6.3). */
const LOOPBACK_NAME = /(?:^|\.)localhost\.?$/
const PRIVATE_ADVICE =
  'the address is private, loopback or link-local; write a public one, or allowPrivate: true if it is meant'

/** Why messages cannot be sent to an address; `undefined`: they can, as far as it tells by itself. */
export function urlFault(address: unknown, allowPrivate: boolean): string | undefined {
  if (typeof address !== 'string' || !URL.canParse(address))
    return "write an address, such as 'https://www.example.org/hook'"
  const url = new URL(address)
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:'))
    return 'write an https: address; http: needs allowPrivate: true'
  if (url.username !== '' || url.password !== '')
    return 'take the user and the password out; write headers: { Authorization: … }'
  return !allowPrivate && isPrivateHost(url.hostname) ? PRIVATE_ADVICE : undefined
}

/** Whether a host is private by its notation. What a name leads to is checked when it is looked up, for each connection. */
function isPrivateHost(hostname: string): boolean {
  const literal = hostname.replace(/^\[|\]$/g, '')
  if (ipaddr.isValid(literal)) return ipaddr.parse(literal).range() !== 'unicast'
  return LOOPBACK_NAME.test(hostname)
}
