import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Bench, startDaybook, WrongResponseError } from '../bench.ts'
import { Server } from '../load/child.ts'
import { median } from '../load/race.ts'
import { type ReportLine, roundFigure } from '../report.ts'
import { TOKEN } from '../stores/fill.ts'

const BASELINE = fileURLToPath(new URL('../baseline/upload-server.ts', import.meta.url))
const GIBIBYTE = 2 ** 30
const MIB = 2 ** 20
const SAMPLE_INTERVAL_MS = 20
/** The numbers of files that are uploaded at the same time. */
const PARALLEL_UPLOADS = [1, 10]

interface UploadSample {
  readonly bytesPerSecond: number
  /** Processor time of one file, in seconds. */
  readonly cpuSeconds: number
  /** The growth of the server's memory, in bytes. */
  readonly memoryGrowth: number
}

/** Uploads files of a gibibyte to Daybook and to the baseline, in turn. */
export async function measureUpload({ stores, scratch, rounds, say }: Bench): Promise<readonly ReportLine[]> {
  const lines: ReportLine[] = []
  for (const count of PARALLEL_UPLOADS) {
    say(`${count} uploads …`)
    const [baseline, daybook]: [UploadSample[], UploadSample[]] = [[], []]
    for (let round = 0; round < rounds; round += 1) {
      const folder = await mkdtemp(join(scratch, 'uploads-'))
      baseline.push(await measureServer(await Server.start([BASELINE, folder]), count))
      await rm(folder, { recursive: true })
      const store = await stores.makeEmpty()
      daybook.push(await measureServer(await startDaybook(store), count))
      await rm(join(store.options[1] ?? '', 'uploads'), { recursive: true })
    }
    const medianOf = (samples: readonly UploadSample[], figure: keyof UploadSample): number =>
      median(samples.map((sample) => sample[figure]))
    const [baselineSpeed, speed] = [medianOf(baseline, 'bytesPerSecond'), medianOf(daybook, 'bytesPerSecond')]
    lines.push({
      work: `${count} of 1 GiB at the same time`,
      ratio: roundFigure(speed / baselineSpeed),
      'CPU ratio': roundFigure(medianOf(baseline, 'cpuSeconds') / medianOf(daybook, 'cpuSeconds')),
      'MiB/s': roundFigure(speed / MIB),
      'baseline MiB/s': roundFigure(baselineSpeed / MIB),
      'memory MiB': Math.round(Math.max(...daybook.map(({ memoryGrowth }) => memoryGrowth)) / MIB),
    })
  }
  return lines
}

async function measureServer(started: Server, count: number): Promise<UploadSample> {
  await using server = started
  await upload(server.url, CHUNK.length)
  const [memoryBefore, cpuBefore] = [await server.memory(), await server.cpu()]
  const startedAt = performance.now()
  let isDone = false
  const uploads = Promise.all(Array.from({ length: count }, () => upload(server.url, GIBIBYTE))).finally(() => {
    isDone = true
  })
  let peak = memoryBefore
  for (; !isDone; await sleep(SAMPLE_INTERVAL_MS)) peak = Math.max(peak, await server.memory())
  await uploads
  const seconds = (performance.now() - startedAt) / 1000
  return {
    bytesPerSecond: (count * GIBIBYTE) / seconds,
    cpuSeconds: ((await server.cpu()) - cpuBefore) / 1e6 / count,
    memoryGrowth: peak - memoryBefore,
  }
}

const CHUNK = Buffer.alloc(2 ** 18, 'upload')
const FORM_START = '--b\r\nContent-Disposition: form-data; name="file"; filename="large.bin"\r\n\r\n'
const FORM_END = '\r\n--b--\r\n'

/** Uploads one file of this size, a multiple of the chunk's. */
async function upload(url: string, bytes: number): Promise<void> {
  const sending = request(`${url}/api/assets`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${TOKEN}`,
      'content-type': 'multipart/form-data; boundary=b',
      'content-length': FORM_START.length + bytes + FORM_END.length,
    },
  })
  const responded = once(sending, 'response') as Promise<[IncomingMessage]>
  sending.write(FORM_START)
  for (let left = bytes; left > 0; left -= CHUNK.length) if (!sending.write(CHUNK)) await once(sending, 'drain')
  sending.end(FORM_END)
  const [response] = await responded
  response.resume()
  if (response.statusCode !== 201) throw new WrongResponseError(`An upload responded ${response.statusCode}.`)
  await once(response, 'end')
}
