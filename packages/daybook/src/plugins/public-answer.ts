import { hash } from 'node:crypto'
import type { JsonSchema, PluginRequest, PluginRoute } from '../index.ts'

/** What everyone may know, and caches may keep. */
export interface PublicAnswer {
  readonly mediaType: string
  /** All that the answer depends on. */
  readonly madeOf: unknown
  /** How long caches may keep it without asking again, in seconds. */
  readonly maxAge: number
  /** Called when the client does not have the answer. */
  readonly write: () => string | AsyncGenerator<string>
}

/** Answers what the client does not have, or 304. */
export function answerPublic(
  { isCurrent }: Pick<PluginRequest, 'isCurrent'>,
  { mediaType, madeOf, maxAge, write }: PublicAnswer,
): Response {
  const tag = `"${hash('sha256', JSON.stringify(madeOf), 'base64url').slice(0, 22)}"`
  const headers = { ETag: tag, 'Cache-Control': `public, max-age=${maxAge}` }
  if (isCurrent(tag)) return new Response(null, { status: 304, headers })
  const text = write()
  return new Response(typeof text === 'string' ? text : toStream(text), {
    headers: { ...headers, 'Content-Type': `${mediaType}; charset=utf-8` },
  })
}

/** A stream that reads on when the client does. */
function toStream(texts: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  return ReadableStream.from<string>(texts).pipeThrough(new TextEncoderStream())
}

/** How a route answers with {@link answerPublic}. */
export function publicAnswers(description: string, mediaType: string, schema: JsonSchema): PluginRoute['answers'] {
  return {
    200: { description, mediaType, schema, headers: { ETag: 'Changes with the answer.' } },
    304: { description: 'The client has it.', headers: { ETag: 'That of the answer.' } },
  }
}
