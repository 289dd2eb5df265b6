import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'

/** The minimum time that a connection stays open after the start of a drain, in milliseconds: data that has arrived is still read. */
const READ_MS = 25
/** The time for a client to close its side of a connection that the server has closed, in milliseconds. */
const LINGER_MS = 50

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

  /** Rejects data that the parser could not read, after the pending responses of the connection. */
  rejectNext(socket: Socket, reject: () => void): void {
    const connection = this.#open.get(socket)
    if (connection) connection.rejectNext(reject)
    else reject()
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

  /** Cuts all connections, including busy ones. */
  destroy(): void {
    for (const socket of this.#open.keys()) socket.destroy()
  }
}

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
   * Records the start of a request.
   *
   * @returns false if the server has closed its side of the connection, so that no response can be sent
   */
  begin(response: ServerResponse): boolean {
    if (this.#socket.writableEnded) return false
    this.#pending += 1
    this.#latest = response
    return true
  }

  /** Makes the last pending response close a draining connection. Called before the head of a response is written. */
  prepareHead(response: ServerResponse): void {
    if (this.#isDraining && response === this.#latest) response.shouldKeepAlive = false
  }

  /** Records that a response has been written. */
  finish(): void {
    this.#pending -= 1
    if (this.#pending > 0) return
    this.#idleSince = performance.now()
    if (this.#isDraining) this.#closeAfter(READ_MS)
  }

  /**
   * Rejects the next request once all pending responses have been sent: a client would take an earlier rejection for one of them. A request
   * with a malformed body has no other response, so it is rejected at once.
   */
  rejectNext(reject: () => void): void {
    const latest = this.#latest
    if (!latest || latest.writableFinished || !latest.req.complete) reject()
    else if (!this.#isBroken) latest.once('close', reject)
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
    // Part of a request has arrived. Node's timeout for headers limits the wait for the rest.
    const isReceiving = this.#socket.bytesRead > this.#bytesSeen
    if (isSending || isReceiving) this.#closeAfter(READ_MS)
    else this.#close()
  }

  #close(): void {
    if (this.#socket.writableEnded) return
    this.#socket.end(() => setTimeout(() => this.#socket.destroy(), LINGER_MS).unref())
  }
}

/** The time without a new connection after which none is expected, in milliseconds: clients may be busy. */
const QUIET_MS = 20
/** The maximum wait for new connections, in milliseconds. */
const LONGEST_MS = 250
/** The maximum time until the backlog is empty, in milliseconds. */
const LIMIT_MS = 1000
/** The number of event-loop turns without a new connection after which the backlog is empty. */
const EMPTY_TURNS = 2
/** The time that the process leaves the processor to clients before it checks again, in milliseconds. */
const PAUSE_MS = 2

/**
 * Resolves when no connection is expected and the system's backlog is empty: closing the listener would reset the connections in it. The
 * event-loop turns come last, so that connections which arrived while the process was suspended are accepted, however long that was.
 *
 * @param lastAt returns the time of the last connection, from `performance.now()`
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
