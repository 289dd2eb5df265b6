import { describe, expect, test } from 'vitest'
import { DeliveryThrottle } from '../../src/journal/throttle.ts'

const { signal } = new AbortController()

/** How many of so many deliveries begin at once; the others wait for a later slot. */
async function beginAtOnce(pace: DeliveryThrottle, count: number): Promise<number> {
  let begun = 0
  const all = Array.from({ length: count }, () => pace.waitForTurn(signal).then(() => (begun += 1)))
  await new Promise((resolve) => setImmediate(resolve))
  const atOnce = begun
  await Promise.all(all)
  return atOnce
}

/** Keeps the event loop from anything else. */
function keepBusy(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

describe('deliveries', () => {
  test('begin at once where no client asks for anything', async () => {
    expect(await beginAtOnce(new DeliveryThrottle(), 100)).toBe(100)
  })

  test('are few while clients keep the process busy, and all begin in the end', async () => {
    const pace = new DeliveryThrottle()
    await pace.waitForTurn(signal)
    for (let request = 0; request < 50; request += 1) pace.noteRequest()
    keepBusy(300)
    expect(await beginAtOnce(pace, 30)).toBe(10)
  })

  test('wait no longer than the service runs', async () => {
    const ending = new AbortController()
    const pace = new DeliveryThrottle()
    await pace.waitForTurn(ending.signal)
    for (let request = 0; request < 50; request += 1) pace.noteRequest()
    keepBusy(300)
    const all = Array.from({ length: 1000 }, () => pace.waitForTurn(ending.signal))
    ending.abort()
    await Promise.all(all)
  })
})
