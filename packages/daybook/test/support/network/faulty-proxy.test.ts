import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PostgresDatabase, sharedPostgres } from '../postgres/postgres-database.ts'
import { eventually } from '../timeouts.ts'
import { FaultyProxy } from './faulty-proxy.ts'

/** Long enough for anything on loopback to have come, in milliseconds. */
const MOMENT_MS = 100

/** A server that says everything back, and keeps what it heard. */
class Echo {
  heard = ''
  /** Called with the next thing that is heard, before the answer. */
  onHeard: (() => void) | undefined
  readonly #server: Server = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      this.heard += chunk
      this.onHeard?.()
      this.onHeard = undefined
      socket.write(chunk)
    })
  })

  async listen(): Promise<number> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return (this.#server.address() as AddressInfo).port
  }

  close(): void {
    this.#server.close()
  }
}

/** A client that records received text and the end of its connection. */
class Caller {
  messages = ''
  ended: string | undefined
  readonly #socket: Socket

  constructor(port: number) {
    this.#socket = connect({ host: '127.0.0.1', port })
    this.#socket.on('data', (chunk) => {
      this.messages += chunk
    })
    this.#socket.once('end', () => {
      this.ended ??= 'end'
    })
    this.#socket.once('error', (error: NodeJS.ErrnoException) => {
      this.ended ??= error.code ?? error.message
    })
  }

  say(text: string): void {
    this.#socket.write(text)
  }

  hang(): void {
    this.#socket.end()
  }

  async hears(text: string): Promise<void> {
    await eventually(() => expect(this.messages).toBe(text))
  }

  async ends(how: string): Promise<void> {
    await eventually(() => expect(this.ended).toBe(how))
  }
}

describe('between a client and a server', () => {
  const echo = new Echo()
  let target: number

  beforeAll(async () => {
    target = await echo.listen()
  })
  afterAll(() => echo.close())

  /** A client that the server has answered. */
  async function connected(proxy: FaultyProxy): Promise<Caller> {
    const caller = new Caller(proxy.port)
    caller.say('hello ')
    await caller.hears('hello ')
    return caller
  }

  test('delivers everything, and the end of it', async () => {
    await using proxy = await FaultyProxy.to(target)
    const caller = await connected(proxy)
    const long = 'x'.repeat(3_000_000)
    caller.say(long)
    await caller.hears(`hello ${long}`)
    caller.hang()
    await caller.ends('end')
    await eventually(() => expect(proxy.connections).toBe(0))
  })

  test('resets a client whose server does not listen', async () => {
    await using proxy = await FaultyProxy.to(1)
    await new Caller(proxy.port).ends('ECONNRESET')
  })

  test('refuses new connections, keeps open ones, and heals', async () => {
    await using proxy = await FaultyProxy.to(target)
    const caller = await connected(proxy)
    proxy.refuse()
    await new Caller(proxy.port).ends('ECONNREFUSED')
    caller.say('again')
    await caller.hears('hello again')
    await proxy.heal()
    await connected(proxy)
  })

  test('cuts every connection, and takes new ones', async () => {
    await using proxy = await FaultyProxy.to(target)
    const callers = [await connected(proxy), await connected(proxy)]
    proxy.cut()
    for (const caller of callers) await caller.ends('ECONNRESET')
    await connected(proxy)
    expect(proxy.connections).toBe(1)
  })

  test('holds back everything in a black hole, and delivers it after it', async () => {
    await using proxy = await FaultyProxy.to(target)
    const caller = await connected(proxy)
    proxy.blackHole()
    echo.heard = ''
    caller.say('later')
    const late = new Caller(proxy.port)
    late.say('!')
    await sleep(MOMENT_MS)
    expect([echo.heard, caller.messages, caller.ended, late.messages, late.ended]).toEqual([
      '',
      'hello ',
      undefined,
      '',
      undefined,
    ])
    await proxy.heal()
    await caller.hears('hello later')
    await late.hears('!')
  })

  test('holds back responses, too', async () => {
    await using proxy = await FaultyProxy.to(target)
    const caller = await connected(proxy)
    const heard = new Promise<void>((resolve) => {
      echo.onHeard = resolve
    })
    void heard.then(() => proxy.blackHole())
    caller.say('later')
    await heard
    await sleep(MOMENT_MS)
    expect(caller.messages).toBe('hello ')
    await proxy.heal()
    await caller.hears('hello later')
  })

  test('delivers later, in order', async () => {
    await using proxy = await FaultyProxy.to(target)
    const caller = await connected(proxy)
    proxy.delay(3 * MOMENT_MS)
    echo.heard = ''
    for (const part of ['1', '2', '3']) caller.say(part)
    await sleep(MOMENT_MS)
    expect(echo.heard).toBe('')
    await eventually(() => expect(echo.heard).toBe('123'))
    expect(caller.messages).toBe('hello ')
    await caller.hears('hello 123')
  })

  test('cuts the connection that sends a text, once, and no other', async () => {
    await using proxy = await FaultyProxy.to(target)
    const callers = [await connected(proxy), await connected(proxy)] as const
    const cut = proxy.cutAt(/STOP/, 'lost')
    callers[0].say('go ')
    callers[1].say('ST')
    await callers[1].hears('hello ST')
    callers[1].say('OP')
    await cut
    await callers[1].ends('ECONNRESET')
    callers[0].say('STOP')
    await callers[0].hears('hello go STOP')
  })

  test('forgets a cut that has not come when it heals', async () => {
    await using proxy = await FaultyProxy.to(target)
    const caller = await connected(proxy)
    void proxy.cutAt(/STOP/, 'lost')
    await proxy.heal()
    caller.say('STOP')
    await caller.hears('hello STOP')
  })
})

describe('between a service and PostgreSQL', () => {
  /** Inserts a row through the proxy; answers with the error that the commit ended with. */
  async function insert(proxy: FaultyProxy, database: PostgresDatabase): Promise<unknown> {
    await database.rows('create table notes (id int)')
    const url = new URL(database.url)
    url.port = `${proxy.port}`
    const client = new Client({ connectionString: url.href })
    client.on('error', () => {})
    await client.connect()
    await client.query('begin')
    await client.query('insert into notes values ($1)', [1])
    return client.query('commit').then(
      () => undefined,
      (error) => error,
    )
  }

  test.each([
    { fate: 'delivered', rows: [{ id: 1 }] },
    { fate: 'lost', rows: [] },
  ] as const)('leaves a commit that is $fate without a response', async ({ fate, rows }) => {
    await using proxy = await FaultyProxy.to((await sharedPostgres()).port)
    await using database = await PostgresDatabase.make()
    const cut = proxy.cutAt(/commit/i, fate)
    expect(await insert(proxy, database)).toBeInstanceOf(Error)
    await cut
    expect(await database.rows('select id from notes')).toEqual(rows)
  })
})
