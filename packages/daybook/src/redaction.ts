/** The text in place of a secret. */
const REDACTED = '[redacted]'

/** Names of parameters whose values may be credentials. */
const SECRET_NAME = /token|secret|signature|passw|credential|preview|invitation|otp|^(?:code|key|sig|state)$/i

/** A word of a path, such as `reset-password`. */
const PLAIN_WORD = /^[a-z][a-z-]*$/
/** The minimum length of a path segment that may be a token, in characters. */
const TOKEN_LENGTH = 16

/** The parts of a route that decide which parts of its requests are safe to log. */
export interface LoggedRoute {
  /** The pattern of the path, such as `/api/posts/:slug`. */
  readonly path: string
  readonly protection: string
  readonly parameters?: Readonly<Record<string, unknown>>
}

/**
 * Removes secrets from a request target: values of parameters that the route does not declare or that are named like a secret, and
 * segments of the path that may be tokens.
 *
 * @param route `undefined` if no route has this path
 */
export function redactTarget(target: string, route: LoggedRoute | undefined): string {
  const end = target.search(/[?#]/)
  if (end === -1) return redactPath(target, route)
  const [query = '', ...fragment] = target.slice(end).split('#')
  const pairs = query === '' ? [] : query.slice(1).split('&')
  const shown = pairs.map((pair) => redactPair(pair, route)).join('&')
  return `${redactPath(target.slice(0, end), route)}${query === '' ? '' : `?${shown}`}${fragment.length === 0 ? '' : `#${REDACTED}`}`
}

function redactPath(path: string, route: LoggedRoute | undefined): string {
  const isProvider = route?.protection === 'provider'
  if (route && !isProvider && !SECRET_NAME.test(route.path)) return path
  const pattern = route?.path.split('/') ?? []
  const open = pattern.indexOf('*')
  const isShown = (segment: string, index: number): boolean => {
    if (isProvider) return index < open || segment === '' || PLAIN_WORD.test(segment)
    if (route) return !(pattern[index]?.startsWith(':') && SECRET_NAME.test(pattern[index]))
    return segment.length < TOKEN_LENGTH || PLAIN_WORD.test(segment)
  }
  return path
    .split('/')
    .map((segment, index) => (isShown(segment, index) ? segment : REDACTED))
    .join('/')
}

function redactPair(pair: string, route: LoggedRoute | undefined): string {
  const [written = ''] = pair.split('=', 1)
  const name = decodeName(written)
  const declared = route?.parameters ?? {}
  if (Object.hasOwn(declared, name.split('[', 1)[0] ?? '') && !SECRET_NAME.test(name)) return pair
  // Without a value, the name may be the secret.
  return pair.length > written.length + 1 && /^[\w.-]{1,40}$/.test(name) ? `${written}=${REDACTED}` : REDACTED
}

function decodeName(name: string): string {
  if (!/[%+]/.test(name)) return name
  try {
    return decodeURIComponent(name.replaceAll('+', ' '))
  } catch {
    return name
  }
}

/** Patterns of secrets and their replacements. Repetition is bounded, so that a long text takes linear time. */
const REDACTIONS: readonly (readonly [RegExp, string])[] = [
  // User and password of a URL. Paths of files may contain an @.
  [/\b(?!file:)([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s"'`<>]{0,512}@/gi, `$1${REDACTED}@`],
  [/\b(Bearer|Basic)\s+[\w.~+/=-]{8,}/gi, `$1 ${REDACTED}`],
  [/([\w.-]{0,40}(?:token|secret|signature|passw|credential|preview)[\w.-]{0,40}=)[^&\s"'`<>,;]+/gi, `$1${REDACTED}`],
  [/([?&](?:code|key|sig|state|otp)=)[^&\s"'`<>]+/gi, `$1${REDACTED}`],
  [
    /(\/(?:reset-password|magic-link|verify-email|invitations?)\/)(?![a-z-]+(?:[/?\s]|$))[^/?\s"'`<>]+/g,
    `$1${REDACTED}`,
  ],
]

/** Removes passwords and tokens in URLs and headers from a text. */
export function redactText(text: string): string {
  return REDACTIONS.reduce((redacted, [pattern, replacement]) => redacted.replace(pattern, replacement), text)
}
