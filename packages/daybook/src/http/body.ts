import { DaybookError, validationErrorAt } from '../errors.ts'
import type { JsonSchema } from '../fields/field.ts'
import type { BodyContract } from './contract.ts'
import type { HttpRequest, RequestHeaders } from './request.ts'

export const DEFAULT_BODY_BYTES: number = 4 * 1024 * 1024

/** The media type of a JSON merge patch (RFC 7396). */
export const MERGE_PATCH = 'application/merge-patch+json'

/** Declares a JSON body; any `+json` type is accepted. */
export function jsonBody(description: string, schema: JsonSchema, furtherTypes: readonly string[] = []): BodyContract {
  return { description, mediaTypes: ['application/json', ...furtherTypes], schema, read: readJson }
}

/** Declares an optional JSON body. An empty body counts as missing, whatever its media type. */
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
 * Reads a JSON body (RFC 8259) without buffering more than the limit.
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
    throw validationErrorAt('body', 'json', 'The body must be well-formed JSON (RFC 8259).')
  }
}

/**
 * Reads a body of any type.
 *
 * @param limit in bytes
 * @throws PAYLOAD_TOO_LARGE
 */
export async function readBody(request: HttpRequest, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  const contentLength = Number(request.headers.get('content-length') ?? 0)
  const bytes = contentLength > limit ? undefined : await request.readBytes(limit)
  if (!bytes) throw makeTooLargeError(limit)
  // Received bytes are never in shared memory.
  return bytes as Uint8Array<ArrayBuffer>
}

function requireJson(headers: RequestHeaders): void {
  const [type = '', ...parameters] = (headers.get('content-type') ?? '').split(';').map((part) => part.trim())
  const isUtf8 = parameters.every(
    (parameter) => !/^charset=/i.test(parameter) || /^charset="?utf-8"?$/i.test(parameter),
  )
  const isPlain = (headers.get('content-encoding') ?? 'identity').toLowerCase() === 'identity'
  if (!JSON_TYPE.test(type) || !isUtf8 || !isPlain) throw new DaybookError('UNSUPPORTED_MEDIA_TYPE')
}

const makeTooLargeError = (limit: number): DaybookError =>
  new DaybookError('PAYLOAD_TOO_LARGE', `The body must be at most ${limit} bytes long.`, { limit })

/** Creates the error for a body that breaks off. It is an error of the client, so it is not logged. */
export const makeIncompleteBodyError = (): DaybookError =>
  validationErrorAt('body', 'incomplete', 'The body ended before it was complete.')

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function decodeBody(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw validationErrorAt('body', 'encoding', 'The body must be UTF-8.')
  }
}
