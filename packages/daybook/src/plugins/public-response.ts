import { hash } from 'node:crypto'
import type { JsonSchema, PluginRequest, PluginRoute } from '../index.ts'

/** A response that is the same for every caller, and that caches may store. */
export interface PublicResponse {
  readonly mediaType: string
  /** The values on which the body depends; the entity tag is their digest. */
  readonly tagSource: unknown
  /** The time for which caches may use the response without revalidation, in seconds. */
  readonly maxAge: number
  /** Writes the body; not called if the client has it. */
  readonly write: () => string | AsyncGenerator<string>
}

/** Responds with the body, or with 304 if the client has it. */
export function respondPublicly(
  { isCurrent }: Pick<PluginRequest, 'isCurrent'>,
  { mediaType, tagSource, maxAge, write }: PublicResponse,
): Response {
  const tag = `"${hash('sha256', JSON.stringify(tagSource), 'base64url').slice(0, 22)}"`
  const headers = { ETag: tag, 'Cache-Control': `public, max-age=${maxAge}` }
  if (isCurrent(tag)) return new Response(null, { status: 304, headers })
  const text = write()
  // The stream takes the next part of the text when the client has read the last one.
  const body = typeof text === 'string' ? text : ReadableStream.from<string>(text).pipeThrough(new TextEncoderStream())
  return new Response(body, { headers: { ...headers, 'Content-Type': `${mediaType}; charset=utf-8` } })
}

/** Describes the responses of a route that uses {@link respondPublicly}. */
export function describePublicResponses(
  description: string,
  mediaType: string,
  schema: JsonSchema,
): PluginRoute['responses'] {
  return {
    200: { description, mediaType, schema, headers: { ETag: 'Changes with the body.' } },
    304: { description: 'The client has the current body.', headers: { ETag: 'The tag of the body.' } },
  }
}
