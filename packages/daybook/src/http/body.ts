import { DaybookError, validationErrorAt } from '../errors.ts'
import type { JsonSchema } from '../fields/field.ts'
import type { BodyContract } from './contract.ts'
import type { HttpRequest, RequestHeaders } from './request.ts'

/** The largest JSON body where the config does not say, in bytes. */
export const DEFAULT_BODY_BYTES: number = 4 * 1024 * 1024

/** RFC 7396. */
export const MERGE_PATCH = 'application/merge-patch+json'

/** A JSON body; every other `+json` type is taken, too. */
export function jsonBody(description: string, schema: JsonSchema, more: readonly string[] = []): BodyContract {
  return { description, mediaTypes: ['application/json', ...more], schema, read: readJson }
}

/** The same that may be left out. A body without a byte is none, whatever its media type says. */
export const optionalJsonBody = (description: string, schema: JsonSchema): BodyContract => ({
  ...jsonBody(description, schema),
  isRequired: false,
  read: async (request, limit) => {
    const bytes = await readBody(request, limit)
    if (bytes.length === 0) return undefined
    requireJson(request.headers)
    return parseJson(bytes)
  },
})

const JSON_TYPE = /^application\/(?:json|[\w.!#$&^-]+\+json)$/i

/**
 * Reads a JSON body (RFC 8259) without ever holding more than the limit of it.
 *
 * @param limit in bytes; counted as the bytes arrive, whatever `Content-Length` says
 * @throws UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, VALIDATION_ERROR
 */
export async function readJson(request: HttpRequest, limit: number): Promise<unknown> {
  requireJson(request.headers)
  return parseJson(await readBody(request, limit))
}

/** @throws VALIDATION_ERROR */
function parseJson(bytes: Uint8Array): unknown {
  const text = decodeBody(bytes)
  try {
    return JSON.parse(text)
  } catch {
    throw validationErrorAt('body', 'json', 'must be well-formed JSON (RFC 8259)')
  }
}

/**
 * Reads a body of any type.
 *
 * @param limit in bytes
 * @throws PAYLOAD_TOO_LARGE
 */
export async function readBody(request: HttpRequest, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  const announced = Number(request.headers.get('content-length') ?? 0)
  const bytes = announced > limit ? undefined : await request.readBytes(limit)
  if (!bytes) throw tooLarge(limit)
  // No bytes that arrive are shared with a thread.
  return bytes as Uint8Array<ArrayBuffer>
}

function requireJson(headers: RequestHeaders): void {
  const [type = '', ...parameters] = (headers.get('content-type') ?? '').split(';').map((part) => part.trim())
  const isUtf8 = parameters.every((one) => !/^charset=/i.test(one) || /^charset="?utf-8"?$/i.test(one))
  const isPlain = (headers.get('content-encoding') ?? 'identity').toLowerCase() === 'identity'
  if (!JSON_TYPE.test(type) || !isUtf8 || !isPlain) throw new DaybookError('UNSUPPORTED_MEDIA_TYPE')
}

const tooLarge = (limit: number): DaybookError =>
  new DaybookError('PAYLOAD_TOO_LARGE', `A body has at most ${limit} bytes.`, { limit })

/** The error of a body that breaks off: the client's doing, so that it is not logged as a failure of the service. */
export const makeIncompleteBodyError = (): DaybookError =>
  validationErrorAt('body', 'incomplete', 'ended before it was complete')

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function decodeBody(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw validationErrorAt('body', 'encoding', 'must be UTF-8')
  }
}
