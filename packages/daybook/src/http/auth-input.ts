import type { AuthContext } from '../auth/adapter.ts'
import type { AttemptKind } from '../auth/sign-in-limiter.ts'
import { validationErrorAt } from '../errors.ts'
import { readBody, readJson } from './body.ts'
import type { HttpRequest } from './request.ts'

const FORM_TYPE = /^(?:application\/x-www-form-urlencoded|multipart\/form-data)(?:;|$)/i

/**
 * Reads the input of an auth action: a JSON object, or what a form holds. No body at all is an empty object.
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

/** Fields that stand more than once become lists. */
async function readForm(bytes: Uint8Array<ArrayBuffer>, type: string): Promise<Readonly<Record<string, unknown>>> {
  const form = await parseForm(bytes, type)
  if (!form) throw validationErrorAt('body', 'form', 'must be a well-formed form')
  return Object.fromEntries(
    [...new Set(form.keys())].map((key) => {
      const values = form.getAll(key)
      if (values.some((value) => typeof value !== 'string'))
        throw validationErrorAt(`/${key}`, 'type', 'must not be a file', { types: ['string'] })
      return [key, values.length > 1 ? values : values[0]]
    }),
  )
}

/** A request as the auth provider takes it: under the address that the client sees. */
export function toProviderRequest(
  { method, target }: HttpRequest,
  { headers, origin }: AuthContext,
  body: Uint8Array<ArrayBuffer> | undefined,
): Request {
  return new Request(origin + target, { method, headers, ...(body ? { body } : {}) })
}

/** The actions by which passwords could be guessed. */
const COUNTED_ACTIONS: readonly string[] = ['login', 'register']
/** Parts of a provider's addresses where passwords could be guessed, or messages sent. */
const COUNTED_ADDRESS = /sign-?in|sign-?up|login|register|password|verif|otp|two-factor|magic|callback/i
/** Parts of a provider's addresses that send a message to an account. */
const MAILING_ADDRESS = /\/(?:request|send|forget)-|\/magic-link\/?$/i
/** The members of an input that name an account. */
const ACCOUNT_MEMBERS: readonly string[] = ['email', 'newEmail', 'username', 'phoneNumber']

/** True if attempts of this action are limited. */
export const isCountedAction = (action: string): boolean => COUNTED_ACTIONS.includes(action)

/** The kind of attempt that a request to a provider's routes is; `undefined`: such requests are not limited. */
export function getAttemptKind({ method, target }: HttpRequest): AttemptKind | undefined {
  const { pathname } = new URL(target, 'http://daybook.invalid')
  if (method === 'GET' || !COUNTED_ADDRESS.test(pathname)) return undefined
  return MAILING_ADDRESS.test(pathname) ? 'message' : 'sign-in'
}

/** The accounts that an input names, each by its e-mail address or another name. */
export function findAccountNames(input: Readonly<Record<string, unknown>>): readonly string[] {
  return ACCOUNT_MEMBERS.map((member) => input[member]).filter((name) => typeof name === 'string')
}

/**
 * The accounts that a body names, read as JSON and as the form that its type says: a provider might read one that is both as either.
 *
 * @param type the media type of the body
 */
export async function readAccountNames(body: Uint8Array<ArrayBuffer>, type: string | null): Promise<readonly string[]> {
  const form = type !== null && /form/i.test(type) ? await parseForm(body, type) : undefined
  // Of a member that stands more than once, providers take the first or the last.
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
