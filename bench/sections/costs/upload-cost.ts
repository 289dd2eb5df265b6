import { once } from 'node:events'
import { mkdir, rm } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Bench, startArgs } from '../../bench.ts'
import { here, Server } from '../../load/child.ts'
import { median, TOKEN, WrongAnswer } from '../../load/measure.ts'
import { type UploadCost, uploadResult } from '../../report.ts'

const CONFIG = here('../databases/files.config.ts')
const FLOOR = here('../floor/floor-upload.ts')
const GIBIBYTE = 2 ** 30
/** How often memory is looked at, in milliseconds. */
const SAMPLE_MS = 20
/** How many files are sent at once. */
const AT_ONCE: readonly number[] = [1, 10]

const chunk = Buffer.alloc(2 ** 18, 'upload')
const BEGINNING = '--b\r\nContent-Disposition: form-data; name="file"; filename="large.bin"\r\n\r\n'
const END = '\r\n--b--\r\n'

/** Sends one file. */
async function send(url: string, bytes: number): Promise<void> {
  const sent = request(`${url}/api/assets`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${TOKEN}`,
      'content-type': 'multipart/form-data; boundary=b',
      'content-length': BEGINNING.length + bytes + END.length,
    },
  })
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>
  sent.write(BEGINNING)
  for (let left = bytes; left > 0; left -= chunk.length) if (!sent.write(chunk)) await once(sent, 'drain')
  sent.end(END)
  const [response] = await answered
  response.resume()
  if (response.statusCode !== 201) throw new WrongAnswer(`An upload was answered ${response.statusCode}.`)
  await once(response, 'end')
}

/** What uploads took: bytes a second, processor time of a gibibyte in seconds, and how much more memory the server held. */
interface Sample {
  readonly perSecond: number
  readonly processor: number
  readonly growth: number
}

async function sample(server: Server, atOnce: number): Promise<Sample> {
  const [before, used] = [await server.memory(), await server.cpu()]
  let peak = before
  let isDone = false
  const watch = async (): Promise<void> => {
    for (; !isDone; await sleep(SAMPLE_MS)) peak = Math.max(peak, await server.memory())
  }
  const watching = watch()
  const begin = performance.now()
  await Promise.all(Array.from({ length: atOnce }, () => send(server.url, GIBIBYTE)))
  const seconds = (performance.now() - begin) / 1000
  isDone = true
  await watching
  const processor = ((await server.cpu()) - used) / 1e6 / atOnce
  return { perSecond: (atOnce * GIBIBYTE) / seconds, processor, growth: peak - before }
}

/** Uploads a gibibyte, and ten at once, to Daybook and to a bare server, in turn. */
export async function measureUploads(bench: Bench): Promise<readonly UploadCost[]> {
  if (!bench.isAsked('upload')) return []
  bench.say('uploads …')
  const { databases, effort, profiling, scratch } = bench
  const store = await databases.blank()
  const env = { ...store.env, DAYBOOK_SERVICE_TOKEN: TOKEN }
  const folder = join(scratch, 'floor')
  const uploads = join(scratch, 'daybook')
  await mkdir(folder, { recursive: true })
  const floorArgs = [FLOOR, folder]
  const own = startArgs(store, { config: CONFIG })
  const results: UploadCost[] = []
  for (const atOnce of AT_ONCE) {
    const floors: Sample[] = []
    const daybooks: Sample[] = []
    for (let round = 0; round < effort.rounds; round++) {
      floors.push(await sampleNew(floorArgs, {}, atOnce))
      daybooks.push(await sampleNew([...profiling, ...own], { ...env, BENCH_UPLOADS: uploads }, atOnce))
      for (const one of [folder, uploads]) await rm(one, { recursive: true, force: true })
      await mkdir(folder, { recursive: true })
    }
    const of = (samples: readonly Sample[], part: keyof Sample): number => median(samples.map((one) => one[part]))
    results.push(
      uploadResult({
        atOnce,
        ratio: of(daybooks, 'perSecond') / of(floors, 'perSecond'),
        perSecond: of(daybooks, 'perSecond'),
        cpuRatio: of(floors, 'processor') / of(daybooks, 'processor'),
        bytes: Math.max(...daybooks.map(({ growth }) => growth)),
      }),
    )
  }
  return results
}

/** One measurement, of a server that has served nothing but a short file before. */
async function sampleNew(args: readonly string[], env: NodeJS.ProcessEnv, atOnce: number): Promise<Sample> {
  await using server = await Server.start(args, env)
  await send(server.url, chunk.length)
  // The server stays until it is measured.
  return await sample(server, atOnce)
}
