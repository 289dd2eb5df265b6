import { rememberChanges } from './changes.ts'
import { DaybookError, NetworkError } from './errors.ts'
import { rememberTag } from './etag.ts'
import { readRetryAfter } from './retry.ts'

/** The content of an answer: an object by default; one with a list of this name; or anything, also nothing. */
export type AnswerContent = 'items' | 'results' | 'events' | 'present' | 'anything' | undefined

const isJsonObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * What a service answered; documents remember their tag.
 *
 * @param request method and address, for errors
 * @throws {DaybookError} when it is no success, or no answer of a Daybook service
 * @throws {NetworkError} when it ends too early
 */
export async function readAnswer(request: string, response: Response, holds: AnswerContent): Promise<unknown> {
  const text = await response.text().catch((cause: unknown) => {
    throw new NetworkError(request, 'was cut off in the middle of its answer', cause)
  })
  const body = parseAnswer(text)
  if (!response.ok) throw errorOfAnswer(request, response, body, text)
  // A redirect turns a POST into a GET (Fetch standard), whose answer would pass for that of the POST.
  if (response.redirected && request.startsWith('POST ')) throw unexpected(request, response, 'after a redirect')
  if (!isHeld(body, text, holds)) throw unexpected(request, response, describeAnswer(text))
  if (isJsonObject(body)) {
    rememberTag(body, response.headers.get('ETag'))
    rememberChanges(holds === 'results' ? (body.results as object) : body, response.headers)
  }
  return body
}

function isHeld(body: unknown, text: string, holds: AnswerContent): boolean {
  if (holds === 'anything') return body !== undefined || text === ''
  return isJsonObject(body) && (holds === undefined || Array.isArray(body[holds]))
}

function parseAnswer(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function errorOfAnswer(request: string, response: Response, body: unknown, text: string): DaybookError {
  const { code, message, details, requestId } = isJsonObject(body) ? body : {}
  if (typeof code !== 'string' || typeof message !== 'string')
    return unexpected(request, response, describeAnswer(text))
  return new DaybookError(request, {
    ...common(response),
    code,
    message,
    details: isJsonObject(details) ? details : {},
    ...(typeof requestId === 'string' ? { requestId } : {}),
  })
}

/** An answer that no Daybook service gives. */
function unexpected(request: string, response: Pick<Response, 'status' | 'headers'>, what: string): DaybookError {
  const message = `${request} answered ${response.status} ${what}: is this the address of a Daybook service, and is it up?`
  return new DaybookError(request, { ...common(response), code: 'UNEXPECTED_ANSWER', message, details: {} })
}

const common = ({ status, headers }: Pick<Response, 'status' | 'headers'>) => ({
  status,
  requestId: headers.get('X-Request-Id') ?? '',
  retryAfter: readRetryAfter(headers.get('Retry-After')),
})

function describeAnswer(text: string): string {
  if (text.trim() === '') return 'without a body'
  if (/^\s*</.test(text)) return 'with HTML'
  return parseAnswer(text) === undefined ? 'with what is no JSON, or not all of it' : 'with JSON of another kind'
}
