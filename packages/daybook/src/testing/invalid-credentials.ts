/** Headers of a request, by name. */
export type CredentialHeaders = Readonly<Record<string, string>>

/** Headers of requests without any credential. */
export const NO_CREDENTIAL: CredentialHeaders = { accept: 'application/json' }

const base64 = (text: string): string => Buffer.from(text).toString('base64url')

const unsigned = (alg: string): string =>
  `${base64(JSON.stringify({ alg, typ: 'JWT' }))}.${base64(JSON.stringify({ sub: 'admin', roles: ['admin'], exp: 9_999_999_999 }))}.`

/** Credentials that no adapter accepts, by name. */
export const INVALID_CREDENTIALS: Readonly<Record<string, CredentialHeaders>> = {
  'an empty Authorization': { authorization: '' },
  'another scheme': { authorization: `Basic ${Buffer.from('admin:admin').toString('base64')}` },
  'an unknown scheme': { authorization: 'Odd x' },
  'no scheme': { authorization: 'x' },
  'a scheme alone': { authorization: 'Bearer' },
  'an empty token': { authorization: 'Bearer  ' },
  'a made-up token': { authorization: 'Bearer made-up' },
  'two tokens': { authorization: 'Bearer made-up, Bearer made-up' },
  'a token of 8 KB': { authorization: `Bearer ${'A'.repeat(8192)}` },
  'a token of 8 KB with dots': { authorization: `Bearer ${'A.'.repeat(4096)}` },
  'a token of spaces and tabs': { authorization: `Bearer ${' \t'.repeat(1000)}x` },
  'a token that is no ASCII': { authorization: 'Bearer \u00fc\u00ff\u0080' },
  'a token with escaped line ends': { authorization: 'Bearer x%0d%0aX-Role:%20admin' },
  'a token of quotes': { authorization: `Bearer "' OR '1'='1` },
  'a token without a signature': { authorization: `Bearer ${unsigned('none')}` },
  'a token with an empty signature': { authorization: `Bearer ${unsigned('HS256')}` },
  'names that every object has': { authorization: 'Bearer __proto__', cookie: '__proto__=constructor; toString=1' },
  'a cookie of another': { cookie: 'theme=dark' },
  'a cookie without a name': { cookie: '=x; ;;; =' },
  'a cookie that is broken off': { cookie: 'session' },
  'a cookie with broken escapes': { cookie: 'session=%; sid=%zz; token=%c3%28' },
  'a thousand cookies': { cookie: Array.from({ length: 1000 }, (_, n) => `c${n}=${n}`).join('; ') },
}

/** Repeats the credential in `Authorization`, as a proxy joins repeated headers (RFC 9110, section 5.3). */
export function repeatAuthorization(headers: CredentialHeaders): CredentialHeaders {
  const authorization = new Headers(headers).get('authorization')
  return authorization === null ? NO_CREDENTIAL : { authorization: `${authorization}, ${authorization}` }
}

/** Returns the headers with one character of the credential changed: the first, the middle, and the last but one. */
export function alterCredential(headers: CredentialHeaders): readonly CredentialHeaders[] {
  const original = new Headers(headers)
  const [name, separator] = original.has('authorization')
    ? (['authorization', ' '] as const)
    : (['cookie', '='] as const)
  const value = original.get(name) ?? ''
  const start = value.indexOf(separator) + 1
  // The last character of base64url may have unused bits.
  const positions = [start, Math.floor((start + value.length) / 2), value.length - 2].filter(
    (position) => position >= start,
  )
  return positions.map((position) => {
    const replacement = value[position] === 'A' ? 'B' : 'A'
    return {
      ...Object.fromEntries(original),
      [name]: value.slice(0, position) + replacement + value.slice(position + 1),
    }
  })
}
