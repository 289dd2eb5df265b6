import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'

/** The shortest time that a connection stays open after a drain began, in milliseconds: data that has arrived is still read. */
const READ_MS = 25
/** The time for a client to close its side of a connection that the server has closed, in milliseconds. */
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

  get(socket: Socket): HttpConnection {
    const connection = this.#open.get(socket)
    if (!connection) throw new Error('The connection is not one of this server.')
    return connection
  }

  /** Refuses what the parser could not read, after the responses that are due on its connection. */
  refuseNext(socket: Socket, refuse: () => void): void {
    const connection = this.#open.get(socket)
    if (connection) connection.refuseNext(refuse)
    else refuse()
  }

  /**
   * Closes idle connections. From now on, responses end their connections.
   *
   * @param idleMs the time after its last response in which a client may be sending its next request, in milliseconds
   */
  drain(idleMs: number): void {
    this.#idleMs = idleMs
    for (const connection of this.#open.values()) connection.drain(idleMs)
  }

  /** Cuts all connections, busy ones too. */
  destroy(): void {
    for (const socket of this.#open.keys()) socket.destroy()
  }
}

/** A connection, its pending requests, and its end. */
export class HttpConnection {
  readonly #socket: Socket
  /** The number of requests without a complete response; several if the client sends them without waiting. */
  #pending = 0
  #latest: ServerResponse | undefined
  #idleSince = performance.now()
  #isDraining = false
  #isBroken = false
  /** The bytes that had arrived when the end of the connection was last scheduled. */
  #bytesSeen = 0

  constructor(socket: Socket) {
    this.#socket = socket
  }

  /**
   * Notes a request.
   *
   * @returns false if the server has closed its side of the connection, so that no response can be sent
   */
  begin(response: ServerResponse): boolean {
    if (this.#socket.writableEnded) return false
    this.#pending += 1
    this.#latest = response
    return true
  }

  /** Makes the last response that is due end a draining connection. Called before its head is written. */
  prepareHead(response: ServerResponse): void {
    if (this.#isDraining && response === this.#latest) response.shouldKeepAlive = false
  }

  /** Notes that a response has been written. */
  finish(): void {
    this.#pending -= 1
    if (this.#pending > 0) return
    this.#idleSince = performance.now()
    if (this.#isDraining) this.#closeAfter(READ_MS)
  }

  /**
   * Refuses the next request once the responses that are due have been sent: a client would take an earlier refusal for one of them. A request
   * that is broken in its body has no other response, so it is refused at once.
   */
  refuseNext(refuse: () => void): void {
    const latest = this.#latest
    if (!latest || latest.writableFinished || !latest.req.complete) refuse()
    else if (!this.#isBroken) latest.once('close', refuse)
    this.#isBroken = true
  }

  drain(idleMs: number): void {
    this.#isDraining = true
    // Node destroys a socket after its last response. If unread data lies in the socket's buffer, the system would then
    // reset the connection, and the client could lose the response (RFC 9112, section 9.6).
    this.#socket.destroySoon = () => this.#close()
    if (this.#pending === 0) this.#closeAfter(Math.max(READ_MS, this.#idleSince + idleMs - performance.now()))
  }

  #closeAfter(ms: number): void {
    this.#bytesSeen = this.#socket.bytesRead
    // On a busy machine, bytes may wait to be read. The event loop reads them before it calls the immediate.
    setTimeout(() => setImmediate(() => this.#closeIdle()), ms).unref()
  }

  #closeIdle(): void {
    if (this.#pending > 0) return
    const isSending = this.#latest?.writableFinished === false
    // Part of a request has arrived. Node's time-out for heads ends the wait for the rest.
    const isReceiving = this.#socket.bytesRead > this.#bytesSeen
    if (isSending || isReceiving) this.#closeAfter(READ_MS)
    else this.#close()
  }

  #close(): void {
    if (this.#socket.writableEnded) return
    this.#socket.end(() => setTimeout(() => this.#socket.destroy(), LINGER_MS).unref())
  }
}

/** The time without a new connection after which none is expected, in milliseconds: clients are busy, too. */
const QUIET_MS = 20
/** The longest time for which new connections are waited for, in milliseconds. */
const LONGEST_MS = 250
/** The longest time until all connections that the system holds are accepted, in milliseconds. */
const LIMIT_MS = 1000
/** The turns of the event loop without a new connection after which the system holds none. */
const EMPTY_TURNS = 2
/** The time that the process leaves its processor to clients before it checks again, in milliseconds. */
const PAUSE_MS = 2

/**
 * Resolves when no connection is expected any more and the system holds none: closing the listener would reset those. The turns of the event
 * loop come last, so that connections which arrived while the process had no processor are accepted, however long that was.
 *
 * @param lastAt returns the time of the last connection, as `performance.now()` has it
 */
export async function waitForEmptyBacklog(lastAt: () => number): Promise<void> {
  const startedAt = performance.now()
  const since = (moment: number): number => performance.now() - moment
  const hasWaited = (): boolean => since(Math.max(startedAt, lastAt())) > QUIET_MS || since(startedAt) > LONGEST_MS
  let turns = 0
  while (turns < EMPTY_TURNS && since(startedAt) < LIMIT_MS) {
    if (!hasWaited()) await sleep(PAUSE_MS)
    const previousAt = lastAt()
    await nextTurn()
    const isEmpty = lastAt() === previousAt && hasWaited()
    turns = isEmpty ? turns + 1 : 0
  }
}
