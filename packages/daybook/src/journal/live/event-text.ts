import type { FeedItem } from '../feed/pager.ts'

const encoder = new TextEncoder()

/** A comment (WHATWG HTML, section 9.2) for a connection without events, so that proxies keep it open. */
export const HEARTBEAT: Uint8Array = encoder.encode(':\n\n')

/** The first lines of a stream: the delay before a reconnection, and the position. Neither can hold a line break. */
export const headBytes = (retryMs: number, token: string): Uint8Array =>
  encoder.encode(`retry: ${retryMs}\nid: ${token}\n\n`)

/** Moves the position of a reader without an event. */
export const positionBytes = (token: string): Uint8Array => encoder.encode(`id: ${token}\n\n`)

/** A group of items; the position after all of them comes with the last one. JSON text holds no line break. */
export function itemBytes(items: readonly FeedItem[], token: string): Uint8Array {
  const events = items.map(({ action, json }, at) => {
    const id = at === items.length - 1 ? `id: ${token}\n` : ''
    return `event: ${action}\n${id}data: ${json}\n\n`
  })
  return encoder.encode(events.join(''))
}

/** An event beside those of the feed. */
export const otherBytes = (event: 'reset' | 'presence', data: object): Uint8Array =>
  encoder.encode(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
