import type { AttemptKind } from '../auth/sign-in-limiter.ts'
import type { HttpRequest } from './request.ts'

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
export function attemptKindOf({ method, target }: HttpRequest): AttemptKind | undefined {
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
  const form = await readForm(body, type)
  // Of a member that stands more than once, providers take the first or the last.
  const formNames = form ? ACCOUNT_MEMBERS.flatMap((member) => [form.get(member), form.getAll(member).at(-1)]) : []
  return [...findAccountNames(readJsonObject(body)), ...formNames.filter((name) => typeof name === 'string')]
}

async function readForm(body: Uint8Array<ArrayBuffer>, type: string | null): Promise<FormData | undefined> {
  if (type === null || !/form/i.test(type)) return undefined
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
