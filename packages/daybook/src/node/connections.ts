import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** How long a connection stays open after a drain began, however long it was idle: what has arrived is read meanwhile. */
const READ_MS = 25
/** How long a client may take to close its side of a connection that the server has closed, in milliseconds. */
const LINGER_MS = 50

/** The open connections of a server. */
export class Connections {
  readonly #open = new Map<Socket, HttpConnection>()
  #idleMs: number | undefined

  add(socket: Socket): void {
    const connection = new HttpConnection(socket)
    this.#open.set(socket, connection)
    socket.once('close', () => this.#open.delete(socket))
    if (this.#idleMs !== undefined) connection.drain(this.#idleMs)
  }

  of(socket: Socket): HttpConnection {
    const connection = this.#open.get(socket)
    if (!connection) throw new Error('The connection is not one of this server.')
    return connection
  }

  /** Refuses what the parser gave up on, once the answers that are due on its connection are sent. */
  refuseNext(socket: Socket, refuse: () => void): void {
    const connection = this.#open.get(socket)
    if (connection) connection.refuseNext(refuse)
    else refuse()
  }

  /**
   * From now on, answers end their connections. Idle connections are closed.
   *
   * @param idleMs how long after its last answer a connection counts as one whose client may be asking again
   */
  drain(idleMs: number): void {
    this.#idleMs = idleMs
    for (const connection of this.#open.values()) connection.drain(idleMs)
  }

  /** Cuts all of them, whatever is under way. */
  destroy(): void {
    for (const socket of this.#open.keys()) socket.destroy()
  }
}

/** One connection: what is under way on it, and how it ends. */
export class HttpConnection {
  readonly #socket: Socket
  /** Requests that have arrived and are not answered; several when the client sends them without waiting. */
  #underWay = 0
  #latest: ServerResponse | undefined
  #idleSince = performance.now()
  #isDraining = false
  #isBroken = false
  /** The bytes that had arrived when it was last looked at. */
  #bytesSeen = 0

  constructor(socket: Socket) {
    this.#socket = socket
  }

  /**
   * Notes a request.
   *
   * @returns false when the connection has been closed on this side: nothing can be answered any more
   */
  begin(response: ServerResponse): boolean {
    if (this.#socket.writableEnded) return false
    this.#underWay += 1
    this.#latest = response
    return true
  }

  /** Decides when the head of an answer is written whether it ends the connection: only the last answer due does. */
  prepareHead(response: ServerResponse): void {
    if (this.#isDraining && response === this.#latest) response.shouldKeepAlive = false
  }

  /** Notes that an answer has been written. */
  finish(): void {
    this.#underWay -= 1
    if (this.#underWay > 0) return
    this.#idleSince = performance.now()
    if (this.#isDraining) this.#closeAfter(READ_MS)
  }

  /**
   * The client would take a refusal that comes before the answers that are due for one of them. A request that is itself
   * broken, in its body, has no other answer.
   */
  refuseNext(refuse: () => void): void {
    const latest = this.#latest
    if (!latest || latest.writableFinished || !latest.req.complete) refuse()
    else if (!this.#isBroken) latest.once('close', refuse)
    this.#isBroken = true
  }

  drain(idleMs: number): void {
    this.#isDraining = true
    // Node destroys a socket after its last answer. While something unread lies in its buffer, the system would then
    // reset the connection, and the client could lose the answer (RFC 9112, section 9.6).
    this.#socket.destroySoon = () => this.#close()
    if (this.#underWay === 0) this.#closeAfter(Math.max(READ_MS, this.#idleSince + idleMs - performance.now()))
  }

  #closeAfter(ms: number): void {
    this.#bytesSeen = this.#socket.bytesRead
    // The socket may not have been read for a while: the turn of the event loop before the immediate reads it.
    setTimeout(() => setImmediate(() => this.#closeIdle()), ms).unref()
  }

  #closeIdle(): void {
    if (this.#underWay > 0) return
    const isSending = this.#latest?.writableFinished === false
    // Part of a request has arrived. Node's time-out for headers ends the wait for the rest.
    const isReceiving = this.#socket.bytesRead > this.#bytesSeen
    if (isSending || isReceiving) this.#closeAfter(READ_MS)
    else this.#close()
  }

  #close(): void {
    if (this.#socket.writableEnded) return
    this.#socket.end(() => setTimeout(() => this.#socket.destroy(), LINGER_MS).unref())
  }
}
