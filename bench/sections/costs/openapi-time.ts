import { setTimeout as sleep } from 'node:timers/promises'
import { type Bench, startArgs } from '../../bench.ts'
import { ask } from '../../load/check.ts'
import { here, Server } from '../../load/child.ts'
import { median } from '../../load/measure.ts'
import { type DocumentTime, documentResult } from '../../report.ts'

const CONFIG = here('../databases/hundred.config.ts')
/** How many services are asked, each for its first document. */
const STARTS = 5

/** How long after its start a service has prepared its document, in milliseconds. */
const PREPARED_MS = 1500

/** One service is asked for the document some time after its start, and again with its tag. */
async function askOnce(
  { databases, profiling }: Bench,
  waitMs: number,
): Promise<readonly [first: number, again: number, bytes: number]> {
  const store = await databases.blank()
  await using server = await Server.start([...profiling, ...startArgs(store, { config: CONFIG })], store.env)
  // The connection's way, and what every request needs.
  await ask(`${server.url}/api/health`)
  await sleep(waitMs)
  const startedAt = performance.now()
  const { body } = await ask(`${server.url}/openapi.json`)
  const first = performance.now() - startedAt
  const tag = (await fetch(`${server.url}/openapi.json`)).headers.get('etag') ?? ''
  const askedAt = performance.now()
  const { status } = await ask(`${server.url}/openapi.json`, 'GET', '', { 'If-None-Match': tag })
  if (status !== 304) throw new Error(`/openapi.json answered ${status} to its own tag`)
  return [first, performance.now() - askedAt, Buffer.byteLength(body)]
}

/** The OpenAPI document of a hundred collections: the first one of a service, at once or when it is prepared, and 304 after it. */
export async function timeDocuments(bench: Bench): Promise<readonly DocumentTime[]> {
  if (!bench.isAsked('openapi') || !bench.databases.version.startsWith('SQLite')) return []
  bench.say('the OpenAPI document of 100 collections …')
  const atOnce: (readonly [number, number, number])[] = []
  const prepared: (readonly [number, number, number])[] = []
  for (let n = 0; n < STARTS; n++) {
    atOnce.push(await askOnce(bench, 0))
    prepared.push(await askOnce(bench, PREPARED_MS))
  }
  const size = `${Math.round((atOnce[0]?.[2] ?? 0) / 1000)} kB`
  return [
    documentResult(`first, ${size}, asked at once`, median(atOnce.map(([first]) => first))),
    documentResult(`first, ${size}, prepared`, median(prepared.map(([first]) => first))),
    documentResult('304', median(prepared.map(([, again]) => again))),
  ]
}
