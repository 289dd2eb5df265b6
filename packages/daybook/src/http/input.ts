import type { AuthContext } from '../auth/adapter.ts'
import { invalidAt } from '../errors.ts'
import { readBody, readJson } from './body.ts'
import type { HttpRequest } from './request.ts'

const FORM_TYPE = /^(?:application\/x-www-form-urlencoded|multipart\/form-data)(?:;|$)/i

/**
 * Reads the input of an auth action: a JSON object, or what a form holds. No body at all is an empty object.
 *
 * @param limit in bytes
 * @throws UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, VALIDATION_ERROR
 */
export async function readInput(request: HttpRequest, limit: number): Promise<Readonly<Record<string, unknown>>> {
  const { headers } = request
  const type = headers.get('content-type')
  if (type === null && !headers.has('transfer-encoding') && Number(headers.get('content-length') ?? 0) === 0) return {}
  if (type !== null && FORM_TYPE.test(type)) return readForm(await readBody(request, limit), type)
  const body = await readJson(request, limit)
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Record<string, unknown>
  throw invalidAt('', 'type', 'must be an object', { types: ['object'] })
}

/** Fields that stand more than once become lists. */
async function readForm(bytes: Uint8Array<ArrayBuffer>, type: string): Promise<Readonly<Record<string, unknown>>> {
  const form = await new Response(bytes, { headers: { 'Content-Type': type } }).formData().catch(() => {
    throw invalidAt('body', 'form', 'must be a well-formed form')
  })
  return Object.fromEntries(
    [...new Set(form.keys())].map((key) => {
      const values = form.getAll(key)
      if (values.some((value) => typeof value !== 'string'))
        throw invalidAt(`/${key}`, 'type', 'must not be a file', { types: ['string'] })
      return [key, values.length > 1 ? values : values[0]]
    }),
  )
}

/** A request as the auth provider takes it: under the address that the client sees. */
export function forwarded(
  { method, target }: HttpRequest,
  { headers, origin }: AuthContext,
  body: Uint8Array<ArrayBuffer> | undefined,
): Request {
  return new Request(origin + target, { method, headers, ...(body ? { body } : {}) })
}
