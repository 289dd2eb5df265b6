import { DaybookError, invalidAt } from '../errors.ts'

/** The largest JSON body where the config does not say, in bytes. */
export const DEFAULT_BODY_BYTES: number = 4 * 1024 * 1024

const JSON_TYPE = /^application\/(?:json|[\w.!#$&^-]+\+json)$/i

/**
 * Reads a JSON body (RFC 8259) without ever holding more than the limit of it.
 *
 * @param limit in bytes; counted as the bytes arrive, whatever `Content-Length` says
 * @throws UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, VALIDATION_ERROR
 */
export async function readJson(request: Request, limit: number): Promise<unknown> {
  demandJson(request.headers)
  if (Number(request.headers.get('content-length') ?? 0) > limit) throw tooLarge(limit)
  const text = decode(await readBytes(request, limit))
  try {
    return JSON.parse(text)
  } catch {
    throw invalidAt('body', 'json', 'must be well-formed JSON (RFC 8259)')
  }
}

function demandJson(headers: Headers): void {
  const [type = '', ...parameters] = (headers.get('content-type') ?? '').split(';').map((part) => part.trim())
  const isUtf8 = parameters.every((one) => !/^charset=/i.test(one) || /^charset="?utf-8"?$/i.test(one))
  const isPlain = (headers.get('content-encoding') ?? 'identity').toLowerCase() === 'identity'
  if (!JSON_TYPE.test(type) || !isUtf8 || !isPlain) throw new DaybookError('UNSUPPORTED_MEDIA_TYPE')
}

const tooLarge = (limit: number): DaybookError =>
  new DaybookError('PAYLOAD_TOO_LARGE', `A body has at most ${limit} bytes.`, { limit })

async function readBytes(request: Request, limit: number): Promise<Uint8Array> {
  // A server hands over no more than the length that it was told; reading at once is several times as fast.
  if (request.headers.has('content-length')) {
    const bytes = new Uint8Array(await request.arrayBuffer())
    if (bytes.length > limit) throw tooLarge(limit)
    return bytes
  }
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request.body ?? []) {
    size += chunk.length
    if (size > limit) throw tooLarge(limit)
    chunks.push(chunk)
  }
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw invalidAt('body', 'encoding', 'must be UTF-8')
  }
}
