import { once } from 'node:events'
import { createServer, type Server, Socket } from 'node:net'
import { Client } from 'pg'
import { freePort } from '../network/free-port.ts'
import type { PostgresAddress } from './postgres-connection.ts'
import { errorMessage, Messages, parameterText, QUERY, queryMessage, SYNC, TERMINATE, wholeMessages } from './wire.ts'

/** Codes of first messages, which have no type, that do not request a session. */
const SSL_REQUEST = 80877103
const CANCEL_REQUEST = 80877102

/** The type of authentication messages, as a byte. */
const AUTHENTICATION = 0x52
const ASK_PASSWORD = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3])
const PASSWORD_IS_RIGHT = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0])
const NO_SSL = 'N'
const WRONG_PASSWORD = '28P01'

/** The session that a client requests as it connects. */
interface SessionRequest {
  readonly user: string
  readonly database: string
  /** The settings of the session, as SQL. */
  readonly settings: string
}

/**
 * A session pool in front of PostgreSQL. A new session is a new process, which takes PostgreSQL as long as ten queries, and each test service
 * has six. A client gets a session that another client has left (after `DISCARD ALL`), or a new one.
 */
export class SessionPool implements AsyncDisposable {
  readonly address: PostgresAddress
  readonly #server: Server
  readonly #behind: PostgresAddress
  readonly #idle = new Map<string, Session[]>()
  readonly #sockets = new Set<Socket>()

  private constructor(behind: PostgresAddress, port: number) {
    this.#behind = behind
    this.address = { ...behind, port }
    this.#server = createServer({ noDelay: true }, (client) => void this.#serve(client).catch(() => client.destroy()))
  }

  /** @param behind the server whose sessions are pooled */
  static async start(behind: PostgresAddress): Promise<SessionPool> {
    const pool = new SessionPool(behind, await freePort())
    pool.#server.listen(pool.address.port, '127.0.0.1')
    await once(pool.#server, 'listening')
    return pool
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
  }

  async #serve(client: Socket): Promise<void> {
    this.#note(client)
    const requested = await readStart(client)
    if (!requested) return void client.destroy()
    client.write(ASK_PASSWORD)
    const password = await readPassword(client)
    if (password !== this.#behind.password) {
      const message = `password authentication failed for user "${requested.user}"`
      return void client.end(errorMessage(WRONG_PASSWORD, message))
    }
    const session = await this.#take(requested, client)
    if (!session) return
    client.write(Buffer.concat([PASSWORD_IS_RIGHT, session.greeting]))
    session.lend(client, () => this.#takeBack(requested, session))
  }

  /** Takes a session with the requested settings. If that fails, sends the client the error. */
  async #take(requested: SessionRequest, client: Socket): Promise<Session | undefined> {
    try {
      const session = this.#idle.get(toKey(requested))?.pop() ?? (await this.#open(requested))
      await session.prepare(requested.settings)
      return session
    } catch (error) {
      const { code = '08006', message } = error as Error & { readonly code?: string }
      client.end(errorMessage(code, message))
      return undefined
    }
  }

  async #open(requested: SessionRequest): Promise<Session> {
    const socket = new Socket()
    this.#note(socket)
    const session = await Session.open(socket, requested, this.#behind)
    socket.once('close', () => {
      const idle = this.#idle.get(toKey(requested)) ?? []
      this.#idle.set(
        toKey(requested),
        idle.filter((other) => other !== session),
      )
    })
    return session
  }

  async #takeBack(requested: SessionRequest, session: Session): Promise<void> {
    await session.run('DISCARD ALL')
    const idle = this.#idle.get(toKey(requested))
    if (idle) idle.push(session)
    else this.#idle.set(toKey(requested), [session])
  }

  #note(socket: Socket): void {
    this.#sockets.add(socket)
    socket.once('close', () => this.#sockets.delete(socket))
    // Closing this socket closes the other side, too.
    socket.on('error', () => {})
  }
}

const toKey = ({ user, database }: SessionRequest): string => `${user} ${database}`

/** A session of PostgreSQL, lent to one client after another. */
class Session {
  /** The messages that begin a new session, from its settings to "ready". */
  readonly greeting: Buffer
  readonly #socket: Socket
  /** The transaction state that the last "ready" message reported. */
  #isInTransaction = false
  /** The number of requests that PostgreSQL has not completed. */
  #pending = 0
  #toClient: ((chunk: Buffer) => void) | undefined
  #onDone: ((error?: Error) => void) | undefined
  #hasFailed = false

  private constructor(socket: Socket, greeting: Buffer) {
    this.#socket = socket
    this.greeting = greeting
    const messages = new Messages((type, first) => this.#note(type, first))
    socket.on('data', (chunk: Buffer) => {
      this.#toClient?.(chunk)
      messages.read(chunk)
    })
    socket.once('close', () => this.#onDone?.(new Error('The session has ended.')))
  }

  /** @throws the server's error */
  static async open(
    socket: Socket,
    { user, database }: SessionRequest,
    { port, password }: PostgresAddress,
  ): Promise<Session> {
    const received: Buffer[] = []
    const note = (chunk: Buffer): void => void received.push(chunk)
    socket.on('data', note)
    const client = new Client({ host: '127.0.0.1', port, user, database, password, stream: () => socket })
    client.on('error', () => {})
    await client.connect()
    // Detaches the client that has signed in: the session now owns the socket.
    for (const event of ['data', 'end', 'connect', 'drain']) socket.removeAllListeners(event)
    const greeting = wholeMessages(Buffer.concat(received)).filter(([type]) => type !== AUTHENTICATION)
    return new Session(socket, Buffer.concat(greeting))
  }

  /** Applies the settings of the next client. @throws if one is rejected, which ends the session */
  async prepare(settings: string): Promise<void> {
    try {
      await this.run(settings)
    } catch (error) {
      this.#socket.destroy()
      throw error
    }
  }

  /** Runs statements while no client has the session. @throws if one fails or the session ends */
  async run(sql: string): Promise<void> {
    if (sql === '') return
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#hasFailed = false
    this.#onDone = (error) => (error ? reject(error) : resolve())
    this.#send(queryMessage(sql))
    await promise
    this.#onDone = undefined
  }

  /** Relays messages between a client and the server until the client leaves. @param leave called when the session can be reused */
  lend(client: Socket, leave: () => Promise<void>): void {
    const server = this.#socket
    const close = (): void => void client.destroy()
    const resume = (): void => void server.resume()
    const messages = new Messages((type) => {
      if (type === QUERY || type === SYNC) this.#pending += 1
    })
    const end = (): void => {
      client.off('close', end)
      server.off('close', close)
      client.off('drain', resume)
      client.removeAllListeners('data')
      this.#toClient = undefined
      server.resume()
      client.end()
      // Unfinished work ends with its session, as it does without a pool.
      if (this.#pending > 0 || this.#isInTransaction) server.destroy()
      else void leave().catch(() => server.destroy())
    }
    this.#toClient = (chunk) => {
      if (!client.write(chunk)) server.pause()
    }
    client.on('drain', resume)
    client.on('data', (chunk: Buffer) => {
      const { passed, isEnd } = messages.passUntil(chunk, TERMINATE)
      if (passed.length > 0) server.write(passed)
      if (isEnd) end()
    })
    client.once('close', end)
    server.once('close', close)
    // The client may have left while its session was opened.
    if (client.destroyed) end()
    client.resume()
  }

  #send(message: Buffer): void {
    this.#pending += 1
    this.#socket.write(message)
  }

  #note(type: string, first: string): void {
    if (type === 'E') this.#hasFailed = true
    if (type !== 'Z') return
    this.#pending -= 1
    this.#isInTransaction = first !== 'I'
    this.#onDone?.(this.#hasFailed ? new Error('A session refused its settings.') : undefined)
  }
}

/** Reads the session that a client requests. Returns `undefined` if it requests none, or has left. */
async function readStart(client: Socket): Promise<SessionRequest | undefined> {
  const message = await readChunk(client)
  if (!message) return undefined
  const code = message.readInt32BE(4)
  if (code === CANCEL_REQUEST) return undefined
  if (code === SSL_REQUEST) {
    client.write(NO_SSL)
    return readStart(client)
  }
  const { user = '', database = user, options = '', ...settings } = parameterText(message)
  const flags = [...options.matchAll(/-c\s*(\w+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value] as const)
  const sql = [...Object.entries(settings), ...flags].map(
    ([name, value]) => `SET ${name} = '${value.replaceAll("'", "''")}'`,
  )
  return { user, database, settings: sql.join(';') }
}

async function readPassword(client: Socket): Promise<string> {
  const message = await readChunk(client)
  return message ? message.toString('utf8', 5, message.length - 1) : ''
}

/** Reads one message of the startup, where the client waits for each response. */
async function readChunk(client: Socket): Promise<Buffer | undefined> {
  const { promise, resolve } = Promise.withResolvers<Buffer | undefined>()
  const gone = (): void => resolve(undefined)
  client.once('close', gone)
  client.once('data', (chunk: Buffer) => {
    client.pause()
    resolve(chunk)
  })
  client.resume()
  const chunk = await promise
  client.off('close', gone)
  return chunk
}
