import { once } from 'node:events'
import { createServer, type Server, Socket } from 'node:net'
import { Client } from 'pg'
import { freePort } from '../network/free-port.ts'
import type { PostgresAddress } from './postgres-address.ts'
import { errorMessage, Messages, parameterText, QUERY, queryMessage, SYNC, TERMINATE, wholeMessages } from './wire.ts'

/** Of the first message of a connection, which has no type: how a session is asked for, and what else it may be. */
const SSL_REQUEST = 80877103
const CANCEL_REQUEST = 80877102

/** The type of messages about who is signing in, as a byte. */
const SIGNING_IN = 0x52
const ASK_PASSWORD = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3])
const PASSWORD_IS_RIGHT = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0])
const NO_SSL = 'N'
const WRONG_PASSWORD = '28P01'

/** What a client asks for as it connects. */
interface SessionRequest {
  readonly user: string
  readonly database: string
  /** Settings of its session, as SQL. */
  readonly settings: string
}

/**
 * A server in front of PostgreSQL that keeps its sessions. A new one is a process, which takes PostgreSQL as long as ten queries, and each
 * service of a test has six. A client gets a session that another one has left (after `DISCARD ALL`), or a new one.
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

  /** @param behind the server whose sessions it keeps */
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
    const wanted = await readStart(client)
    if (!wanted) return void client.destroy()
    client.write(ASK_PASSWORD)
    const password = await readPassword(client)
    if (password !== this.#behind.password) {
      const message = `password authentication failed for user "${wanted.user}"`
      return void client.end(errorMessage(WRONG_PASSWORD, message))
    }
    const session = await this.#take(wanted, client)
    if (!session) return
    client.write(Buffer.concat([PASSWORD_IS_RIGHT, session.greeting]))
    session.lend(client, () => this.#takeBack(wanted, session))
  }

  /** A session with the settings that a client wants; without one, the client has been told why. */
  async #take(wanted: SessionRequest, client: Socket): Promise<Session | undefined> {
    try {
      const session = this.#idle.get(keyOf(wanted))?.pop() ?? (await this.#open(wanted))
      await session.prepare(wanted.settings)
      return session
    } catch (error) {
      const { code = '08006', message } = error as Error & { readonly code?: string }
      client.end(errorMessage(code, message))
      return undefined
    }
  }

  async #open(wanted: SessionRequest): Promise<Session> {
    const socket = new Socket()
    this.#note(socket)
    const session = await Session.open(socket, wanted, this.#behind)
    socket.once('close', () => {
      const idle = this.#idle.get(keyOf(wanted)) ?? []
      this.#idle.set(
        keyOf(wanted),
        idle.filter((one) => one !== session),
      )
    })
    return session
  }

  async #takeBack(wanted: SessionRequest, session: Session): Promise<void> {
    await session.run('DISCARD ALL')
    const idle = this.#idle.get(keyOf(wanted))
    if (idle) idle.push(session)
    else this.#idle.set(keyOf(wanted), [session])
  }

  #note(socket: Socket): void {
    this.#sockets.add(socket)
    socket.once('close', () => this.#sockets.delete(socket))
    // The other side is closed when this one is.
    socket.on('error', () => {})
  }
}

const keyOf = ({ user, database }: SessionRequest): string => `${user} ${database}`

/** A session of PostgreSQL, lent to one client after another. */
class Session {
  /** What PostgreSQL tells a client of a new session, from its settings to its being ready. */
  readonly greeting: Buffer
  readonly #socket: Socket
  /** Whether it is in a transaction, as the last message that says so has it. */
  #isInTransaction = false
  /** What has been asked, and is not done yet. */
  #asked = 0
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

  /** @throws what the server says */
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
    // From here on the socket is the session's own: nothing is left to the client that has signed in.
    for (const event of ['data', 'end', 'connect', 'drain']) socket.removeAllListeners(event)
    const greeting = wholeMessages(Buffer.concat(received)).filter(([type]) => type !== SIGNING_IN)
    return new Session(socket, Buffer.concat(greeting))
  }

  /** Gives it the settings of its next client. @throws when one of them is refused: the session ends */
  async prepare(settings: string): Promise<void> {
    try {
      await this.run(settings)
    } catch (error) {
      this.#socket.destroy()
      throw error
    }
  }

  /** Runs statements while no client has it. @throws when one of them fails, or the session ends */
  async run(sql: string): Promise<void> {
    if (sql === '') return
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#hasFailed = false
    this.#onDone = (error) => (error ? reject(error) : resolve())
    this.#ask(queryMessage(sql))
    await promise
    this.#onDone = undefined
  }

  /** Passes on what a client and the server say, until the client goes. @param leave called when another one can have the session */
  lend(client: Socket, leave: () => Promise<void>): void {
    const server = this.#socket
    const close = (): void => void client.destroy()
    const resume = (): void => void server.resume()
    const messages = new Messages((type) => {
      if (type === QUERY || type === SYNC) this.#asked += 1
    })
    const end = (): void => {
      client.off('close', end)
      server.off('close', close)
      client.off('drain', resume)
      client.removeAllListeners('data')
      this.#toClient = undefined
      server.resume()
      client.end()
      // What is half done ends with its session, as it does without a pool.
      if (this.#asked > 0 || this.#isInTransaction) server.destroy()
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
    // It may have gone while its session was made.
    if (client.destroyed) end()
    client.resume()
  }

  #ask(message: Buffer): void {
    this.#asked += 1
    this.#socket.write(message)
  }

  #note(type: string, first: string): void {
    if (type === 'E') this.#hasFailed = true
    if (type !== 'Z') return
    this.#asked -= 1
    this.#isInTransaction = first !== 'I'
    this.#onDone?.(this.#hasFailed ? new Error('A session refused its settings.') : undefined)
  }
}

/** Reads what a client asks for. `undefined`: it wants no session, or has gone. */
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

/** Each message of a start comes by itself: the client waits for what is said to it. */
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
