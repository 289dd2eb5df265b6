import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'

const BODY = '{"title":"held"}'

/** A POST that stays open until the test ends it: the service has its head, and waits for its body. */
export class PendingRequest {
  readonly #request: ClientRequest
  readonly #response: Promise<IncomingMessage>

  private constructor(sent: ClientRequest) {
    this.#request = sent
    this.#response = once(sent, 'response').then(([response]) => response)
    this.#response.catch(() => {})
  }

  /** Sends the head, and waits until the service accepts it (RFC 9110, section 10.1.1). */
  static async begin(url: string, headers: Readonly<Record<string, string>> = {}): Promise<PendingRequest> {
    const more = { 'content-type': 'application/json', 'content-length': BODY.length, expect: '100-continue' }
    const sent = request(url, { method: 'POST', headers: { ...headers, ...more }, agent: false })
    const pending = new PendingRequest(sent)
    sent.flushHeaders()
    await once(sent, 'continue')
    return pending
  }

  async finish(): Promise<number> {
    this.#request.end(BODY)
    const response = await this.#response
    response.resume()
    await once(response, 'end')
    return response.statusCode ?? 0
  }

  /** Returns true if the connection broke before the response. */
  isBroken(): Promise<boolean> {
    return this.#response.then(
      () => false,
      () => true,
    )
  }
}
