import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Arrival } from '../http/request.ts'
import type { Backlog, FinishedReply } from '../http/respond.ts'
import { RefusedSockets, ServedSockets } from './paused-sockets.ts'

/** How long a connection stays open after a drain began, however long it was idle: what has arrived is read meanwhile. */
const READ_MS = 25
/** How long a client may take to close its side of a connection that the server has closed, in milliseconds. */
const LINGER_MS = 50

/** Sockets of which nothing is read for a while. */
interface PausedSockets {
  /** Of clients that were refused for overload. */
  readonly refused: RefusedSockets
  /** Of clients that had an answer while many others waited. */
  readonly served: ServedSockets
}

/** The open connections of a server. */
export class Connections {
  readonly #open = new Map<Socket, HttpConnection>()
  readonly #paused: PausedSockets = { refused: new RefusedSockets(), served: new ServedSockets() }
  #idleMs: number | undefined

  add(socket: Socket): void {
    const connection = new HttpConnection(socket, this.#paused)
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
    this.#paused.refused.end()
    this.#paused.served.end()
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
  readonly #paused: PausedSockets
  /** Requests that have arrived and are not answered; several when the client sends them without waiting. */
  #underWay = 0
  #latest: ServerResponse | undefined
  #idleSince = performance.now()
  #isDraining = false
  #isBroken = false
  /** The bytes that had arrived when it was last looked at. */
  #bytesSeen = 0
  /** Of the event loop, when its last request came. */
  #lastTurn = -1
  /** Whether it was not read for a while since. */
  #hasWaited = false

  /** @param paused where it waits when clients ask more than the service can answer */
  constructor(socket: Socket, paused: PausedSockets) {
    this.#socket = socket
    this.#paused = paused
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

  /**
   * Notes when a request came.
   *
   * @param turn of the event loop; it is told of the first request in it alone: one that follows may have been sent meanwhile
   */
  arrive(turn: number): Arrival {
    const isFirst = this.#lastTurn === -1
    const isFirstOfTurn = turn !== this.#lastTurn
    this.#lastTurn = turn
    const hasWaited = this.#hasWaited
    this.#hasWaited = false
    return { isFirst, hasWaited, unread: this.#paused.served.length, turn: isFirstOfTurn ? turn : undefined }
  }

  /** Decides when the head of an answer is written whether it ends the connection: only the last answer due does. */
  prepareHead(response: ServerResponse): void {
    if (this.#isDraining && response === this.#latest) response.shouldKeepAlive = false
  }

  /** Decides when the client's next request is read, after this answer. */
  readNextAfter(response: ServerResponse, { isOverloaded, backlog = 'short' }: FinishedReply): void {
    const { refused, served } = this.#paused
    if (isOverloaded) response.once('close', () => refused.add(this.#socket))
    else if (served.holds(backlog)) response.once('close', () => this.#wait(backlog))
  }

  #wait(backlog: Backlog): void {
    this.#hasWaited = true
    this.#paused.served.add(this.#socket, backlog)
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
