/** An event of a stream (WHATWG HTML, section 9.2). */
export interface ServerEvent {
  readonly event: string
  readonly data: unknown
}

/** Reads Server-Sent Events like a client. */
export class EventReader implements AsyncDisposable {
  readonly response: Response
  /** The last received id. */
  id: string | undefined
  /** The reconnection time, in milliseconds. */
  retry: number | undefined
  readonly lines: string[] = []
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>
  readonly #decoder = new TextDecoder()
  #text = ''

  constructor(response: Response) {
    if (!response.body) throw new Error('The response has no body.')
    this.response = response
    this.#reader = response.body.getReader()
  }

  /** Reads the next event; `undefined` if the stream has ended. */
  async next(): Promise<ServerEvent | undefined> {
    for (let block = await this.#nextBlock(); block !== undefined; block = await this.#nextBlock()) {
      const fields = new Map(block.split('\n').map((line) => splitField(line)))
      this.id = fields.get('id') ?? this.id
      if (fields.has('retry')) this.retry = Number(fields.get('retry'))
      const data = fields.get('data')
      if (data !== undefined) return { event: fields.get('event') ?? 'message', data: JSON.parse(data) }
    }
    return undefined
  }

  async take(count: number): Promise<readonly (ServerEvent | undefined)[]> {
    const events: (ServerEvent | undefined)[] = []
    while (events.length < count) events.push(await this.next())
    return events
  }

  /** Waits for the first position of the stream. */
  async begun(): Promise<void> {
    while (this.id === undefined) {
      const block = await this.#nextBlock()
      if (block === undefined) throw new Error('The stream has ended.')
      const fields = new Map(block.split('\n').map((line) => splitField(line)))
      this.id = fields.get('id')
      this.retry = Number(fields.get('retry'))
    }
  }

  async #nextBlock(): Promise<string | undefined> {
    while (!this.#text.includes('\n\n')) {
      const { done, value } = await this.#reader.read()
      if (done) return undefined
      this.#text += this.#decoder.decode(value, { stream: true })
    }
    const end = this.#text.indexOf('\n\n')
    const block = this.#text.slice(0, end)
    this.#text = this.#text.slice(end + 2)
    this.lines.push(...block.split('\n'))
    return block
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reader.cancel().catch(() => {})
  }
}

function splitField(line: string): readonly [string, string] {
  const colon = line.indexOf(':')
  return [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, '')]
}
