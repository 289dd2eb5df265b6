import { execFile } from 'node:child_process'
import { Session } from 'node:inspector/promises'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { serve } from 'daybook/node'
import { createTestService } from 'daybook/testing'
import blog from '../../examples/blog/daybook.config.ts'
import { table } from './table.ts'

const SOURCE = new URL('../../packages/daybook/src/', import.meta.url).href

/** The kinds of requests whose files are counted. */
export type CountedRequest = 'list' | 'update'

/** The files of `packages/daybook/src` whose functions run for one request, by kind; in alphabetical order. */
export type RequestFiles = Readonly<Record<CountedRequest, readonly string[]>>

/** The number of requests of each kind. Files count that run in all of them, so other work that falls into one does not. */
const REPETITIONS = 5

/** Counts the files of each kind of request in a process of its own, where nothing else runs. */
export async function countRequestFiles(): Promise<RequestFiles> {
  const args = ['--disable-warning=ExperimentalWarning', fileURLToPath(import.meta.url)]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  return JSON.parse(stdout)
}

/** Lists and changes posts of the example blog over a socket, and finds by coverage the files that each request runs. */
async function findRequestFiles(): Promise<RequestFiles> {
  // On a slow machine, work that the service does at intervals would fall into every request.
  const startInterval = globalThis.setInterval
  globalThis.setInterval = ((_work: unknown, ms?: number) => startInterval(() => {}, ms)) as typeof setInterval
  await using service = await createTestService({ ...blog, plugins: [] }, { strict: false })
  const { port, stop } = await serve(service, { port: 0 })
  const url = `http://127.0.0.1:${port}/api/posts`
  const headers = { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' }
  const list = async (query: string): Promise<readonly { readonly id: string }[]> => {
    const response = await fetch(`${url}?${query}`)
    const { items } = (await response.json()) as { readonly items: readonly { readonly id: string }[] }
    return items
  }
  const update = async (id: string, title: string): Promise<void> => {
    const body = JSON.stringify({ title })
    const response = await fetch(`${url}/${id}`, { method: 'PUT', headers, body })
    if (!response.ok) throw new Error(`PUT returned ${response.status}: ${await response.text()}`)
  }
  try {
    // The service builds its OpenAPI document in turns, between requests.
    await (await fetch(`http://127.0.0.1:${port}/openapi.json`)).arrayBuffer()
    const [post] = await list('limit=1')
    const id = post?.id ?? ''
    await update(id, 'The first change')
    // Each list has another query string, so that nothing of it is cached.
    const sorts = ['title', 'slug', 'publishedOn', 'category', '-title']
    return {
      list: await findCommonFiles((index) => list(`sort=${sorts[index]}`)),
      update: await findCommonFiles((index) => update(id, `Another title, ${index}`)),
    }
  } finally {
    await stop()
  }
}

async function findCommonFiles(send: (index: number) => Promise<unknown>): Promise<readonly string[]> {
  const runs: ReadonlySet<string>[] = []
  for (let index = 0; index < REPETITIONS; index += 1) runs.push(await findCoveredFiles(() => send(index)))
  const [first = new Set<string>(), ...rest] = runs
  return [...first].filter((file) => rest.every((run) => run.has(file))).sort()
}

/** Finds the files that run between a request and its response. */
async function findCoveredFiles(send: () => Promise<unknown>): Promise<ReadonlySet<string>> {
  const session = new Session()
  session.connect()
  try {
    await session.post('Profiler.enable')
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
    await session.post('Profiler.takePreciseCoverage')
    await send()
    const { result } = await session.post('Profiler.takePreciseCoverage')
    const covered = result.filter(
      ({ url, functions }) => url.startsWith(SOURCE) && functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0),
    )
    return new Set(covered.map(({ url }) => fileURLToPath(url).slice(fileURLToPath(SOURCE).length)))
  } finally {
    await session.post('Profiler.disable')
    session.disconnect()
  }
}

/** The table of the files that a request runs, by folder. */
export function requestFileTable(files: readonly string[]): string {
  const byFolder = Map.groupBy(files, (file) => posix.dirname(file))
  const rows = [...byFolder].map(([folder, inside]) => [
    folder === '.' ? '' : `\`${folder}/\``,
    inside.map((file) => `\`${posix.basename(file, '.ts')}\``).join(', '),
  ])
  return `${files.length} files run:\n\n${table(['folder', 'files'], rows)}`
}

if (import.meta.main) process.stdout.write(JSON.stringify(await findRequestFiles()))
