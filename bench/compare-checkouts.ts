import { resolve } from 'node:path'
import { type Bench, CHECKOUT, startDaybook } from './bench.ts'
import { compareSamples, race, type Side, type Work } from './load/race.ts'
import type { ReportLine } from './report.ts'
import { REQUEST_ROWS, SEARCH } from './rows/requests.ts'
import { findAddresses } from './stores/addresses.ts'
import { fillService } from './stores/fill.ts'
import type { BenchStore } from './stores/stores.ts'

/** The rows in which checkouts can be compared. */
export const COMPARABLE_ROWS: Readonly<Record<string, readonly Work[]>> = { ...REQUEST_ROWS, search: [SEARCH] }

/** Compares this checkout with another one, in which `npm ci` has run. Each has a store of its own, filled over HTTP. */
export async function compareCheckouts(
  bench: Omit<Bench, 'store'>,
  otherCheckout: string,
  rows: readonly string[],
): Promise<Readonly<Record<string, readonly ReportLine[]>>> {
  const filled = [await fillCheckout(bench, resolve(otherCheckout)), await fillCheckout(bench, CHECKOUT)]
  await using servers = new AsyncDisposableStack()
  const cached = await startSides(filled, true, servers)
  const uncached = await startSides(filled, false, servers)
  const lines: Record<string, ReportLine[]> = {}
  for (const row of rows) {
    const rowLines: ReportLine[] = []
    for (const work of COMPARABLE_ROWS[row] ?? []) {
      bench.say(`${work.title} …`)
      // Responses in memory make no difference to a write.
      const names = work.paths ? { cached, uncached } : { durable: cached }
      for (const [name, sides] of Object.entries(names)) {
        const [other, current] = await race(bench, work, sides)
        if (other && current) rowLines.push(compareSamples(work, ['other', other], [name, current]))
      }
    }
    lines[row] = rowLines
  }
  return lines
}

interface FilledCheckout {
  readonly checkout: string
  readonly store: BenchStore
}

async function fillCheckout({ stores, entries, say }: Omit<Bench, 'store'>, checkout: string): Promise<FilledCheckout> {
  const store = await stores.makeEmpty()
  await using service = await startDaybook(store, { checkout })
  await fillService(service.url, entries, say)
  return { checkout, store }
}

async function startSides(
  filled: readonly FilledCheckout[],
  isCached: boolean,
  servers: AsyncDisposableStack,
): Promise<readonly Side[]> {
  const sides: Side[] = []
  for (const { checkout, store } of filled) {
    const server = servers.use(await startDaybook(store, { checkout, isCached }))
    sides.push({ name: checkout, server, addresses: await findAddresses(server.url) })
  }
  return sides
}
