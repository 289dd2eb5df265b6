import { describe, expect, test } from 'vitest'
import { DeliveryThrottle } from '../../src/journal/throttle.ts'

const { signal } = new AbortController()

/** Starts `count` deliveries. Returns how many begin at once; the others wait for a later slot. */
async function countImmediate(throttle: DeliveryThrottle, count: number): Promise<number> {
  let begun = 0
  const all = Array.from({ length: count }, () => throttle.waitForTurn(signal).then(() => (begun += 1)))
  await new Promise((resolve) => setImmediate(resolve))
  const atOnce = begun
  await Promise.all(all)
  return atOnce
}

/** Blocks the event loop. */
function keepBusy(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

describe('deliveries', () => {
  test('begin at once if no client sends requests', async () => {
    expect(await countImmediate(new DeliveryThrottle(), 100)).toBe(100)
  })

  test('are throttled while clients keep the process busy, and all begin in the end', async () => {
    const throttle = new DeliveryThrottle()
    await throttle.waitForTurn(signal)
    for (let request = 0; request < 50; request += 1) throttle.noteRequest()
    keepBusy(300)
    expect(await countImmediate(throttle, 30)).toBe(10)
  })

  test('stop waiting when the service ends', async () => {
    const ending = new AbortController()
    const throttle = new DeliveryThrottle()
    await throttle.waitForTurn(ending.signal)
    for (let request = 0; request < 50; request += 1) throttle.noteRequest()
    keepBusy(300)
    const all = Array.from({ length: 1000 }, () => throttle.waitForTurn(ending.signal))
    ending.abort()
    await Promise.all(all)
  })
})
