import type { AuthContext } from '../auth/adapter.ts'
import type { AttemptKind } from '../auth/sign-in-limiter.ts'
import { validationErrorAt } from '../errors.ts'
import { readBody, readJson } from './body.ts'
import type { HttpRequest } from './request.ts'

const FORM_TYPE = /^(?:application\/x-www-form-urlencoded|multipart\/form-data)(?:;|$)/i

/**
 * Reads the input of an auth action: a JSON object, or the fields of a form. A missing body counts as an empty object.
 *
 * @param limit in bytes
 * @throws UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, VALIDATION_ERROR
 */
export async function readActionInput(request: HttpRequest, limit: number): Promise<Readonly<Record<string, unknown>>> {
  const { headers } = request
  const type = headers.get('content-type')
  if (type === null && !headers.has('transfer-encoding') && Number(headers.get('content-length') ?? 0) === 0) return {}
  if (type !== null && FORM_TYPE.test(type)) return readForm(await readBody(request, limit), type)
  const body = await readJson(request, limit)
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Record<string, unknown>
  throw validationErrorAt('', 'type', 'must be an object', { types: ['object'] })
}

/** Reads a form. A repeated field becomes a list. */
async function readForm(bytes: Uint8Array<ArrayBuffer>, type: string): Promise<Readonly<Record<string, unknown>>> {
  const form = await parseForm(bytes, type)
  if (!form) throw validationErrorAt('body', 'form', 'The body must be a well-formed form.')
  return Object.fromEntries(
    [...new Set(form.keys())].map((key) => {
      const values = form.getAll(key)
      if (values.some((value) => typeof value !== 'string'))
        throw validationErrorAt(`/${key}`, 'type', 'must not be a file', { types: ['string'] })
      return [key, values.length > 1 ? values : values[0]]
    }),
  )
}

/** Converts a request for the auth provider, with the URL that the client sees. */
export function toProviderRequest(
  { method, target }: HttpRequest,
  { headers, origin }: AuthContext,
  body: Uint8Array<ArrayBuffer> | undefined,
): Request {
  return new Request(origin + target, { method, headers, ...(body ? { body } : {}) })
}

/** The actions that allow guessing passwords. */
const COUNTED_ACTIONS: readonly string[] = ['login', 'register', 'setup']
/** Matches provider paths that allow guessing passwords or sending messages. */
const COUNTED_ADDRESS = /sign-?in|sign-?up|login|register|password|verif|otp|two-factor|magic|callback/i
/** Matches provider paths that send a message to an account. */
const MAILING_ADDRESS = /\/(?:request|send|forget)-|\/magic-link\/?$/i
/** The input members that identify an account. */
const ACCOUNT_MEMBERS: readonly string[] = ['email', 'newEmail', 'username', 'phoneNumber']

export const isCountedAction = (action: string): boolean => COUNTED_ACTIONS.includes(action)

/** Returns the kind of attempt of a provider request; `undefined` if such requests are not limited. */
export function getAttemptKind({ method, target }: HttpRequest): AttemptKind | undefined {
  const { pathname } = new URL(target, 'http://daybook.invalid')
  if (method === 'GET' || !COUNTED_ADDRESS.test(pathname)) return undefined
  return MAILING_ADDRESS.test(pathname) ? 'message' : 'sign-in'
}

/** Returns the e-mail addresses and other names of the accounts in an input. */
export function findAccountNames(input: Readonly<Record<string, unknown>>): readonly string[] {
  return ACCOUNT_MEMBERS.map((member) => input[member]).filter((name) => typeof name === 'string')
}

/**
 * Returns the account names in a body, read as JSON and, according to its type, also as a form: a provider might accept either.
 *
 * @param type the media type
 */
export async function readAccountNames(body: Uint8Array<ArrayBuffer>, type: string | null): Promise<readonly string[]> {
  const form = type !== null && /form/i.test(type) ? await parseForm(body, type) : undefined
  // Of a repeated member, providers use the first or the last value.
  const formNames = form ? ACCOUNT_MEMBERS.flatMap((member) => [form.get(member), form.getAll(member).at(-1)]) : []
  return [...findAccountNames(readJsonObject(body)), ...formNames.filter((name) => typeof name === 'string')]
}

/** @returns `undefined` if the form is not well-formed */
async function parseForm(body: Uint8Array<ArrayBuffer>, type: string): Promise<FormData | undefined> {
  return new Response(body, { headers: { 'Content-Type': type } }).formData().catch(() => undefined)
}

function readJsonObject(body: Uint8Array<ArrayBuffer>): Readonly<Record<string, unknown>> {
  try {
    const json: unknown = JSON.parse(new TextDecoder().decode(body))
    return typeof json === 'object' && json !== null ? { ...json } : {}
  } catch {
    return {}
  }
}
