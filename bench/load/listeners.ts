// Many listeners of live events, in a process of its own: how long each event has taken from the moment that its title says.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** What is asked of it. */
export type ListenerTask = { readonly open: string; readonly count: number } | 'latencies'

/** How long events have taken, in milliseconds. */
export interface Latencies {
  readonly events: number
  readonly p50: number
  readonly p99: number
  readonly most: number
}

/** Titles say when they were sent, in milliseconds since 1970. */
const SENT_AT = /"title":"sent at (\d+)/g

const latencies: number[] = []
const sockets: Socket[] = []

function note(event: string): void {
  const now = Date.now()
  for (const [, at] of event.matchAll(SENT_AT)) latencies.push(now - Number(at))
}

/** Opens a stream; resolves once it has begun. */
async function listenTo(url: string): Promise<void> {
  const { hostname, port, pathname, search } = new URL(url)
  const socket = connect(Number(port), hostname)
  sockets.push(socket)
  socket.setEncoding('utf8')
  socket.write(`GET ${pathname}${search} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`)
  await once(socket, 'data')
  let rest = ''
  socket.on('data', (text: string) => {
    const end = (rest + text).lastIndexOf('\n\n')
    const whole = (rest + text).slice(0, end + 2)
    rest = (rest + text).slice(whole.length)
    note(whole)
  })
}

async function open(url: string, count: number): Promise<void> {
  for (let opened = 0; opened < count; opened += 50) {
    await Promise.all(Array.from({ length: Math.min(50, count - opened) }, () => listenTo(url)))
  }
}

function report(): Latencies {
  const sorted = latencies.toSorted((one, other) => one - other)
  const at = (share: number): number => sorted[Math.floor(share * (sorted.length - 1))] ?? 0
  return { events: sorted.length, p50: at(0.5), p99: at(0.99), most: at(1) }
}

process.on('message', async (task: ListenerTask) => {
  if (task === 'latencies') {
    process.send?.(report())
    for (const socket of sockets) socket.destroy()
    return
  }
  await open(task.open, task.count)
  process.send?.('open')
})
