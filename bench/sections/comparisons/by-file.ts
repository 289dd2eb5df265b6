import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Bench, startArgs } from '../../bench.ts'
import { here, Server } from '../../load/child.ts'
import type { Kind } from '../../load/kinds.ts'
import { race, TOKEN, WrongAnswer } from '../../load/measure.ts'
import { makePlan } from '../../load/plan.ts'
import { type Comparison, compare } from '../../report.ts'

const CONFIG = here('../databases/files.config.ts')
const FLOOR = here('../floor/floor-files.ts')
const BESIDE = { beside: 'createReadStream', target: 0.7 }
const FOLDER = 'uploads/bench'

/** A file to serve, and how many clients fetch it at once. */
interface File {
  readonly name: string
  readonly title: string
  readonly bytes: number
  readonly connections: number
}

const FILES: readonly File[] = [
  { name: 'small.bin', title: 'a file of 100 KB', bytes: 100_000, connections: 10 },
  { name: 'large.bin', title: 'a file of 10 MB', bytes: 10_000_000, connections: 4 },
]

const kindOf = ({ name, title, connections }: File): Kind => ({
  name: 'serve',
  title,
  status: 200,
  writes: false,
  connections,
  load: () => ({ paths: [`/${FOLDER}/${name}`] }),
})

/** Gives both sides the same file. */
async function place(file: File, folder: string, url: string): Promise<void> {
  const bytes = randomBytes(file.bytes)
  await mkdir(join(folder, FOLDER), { recursive: true })
  await writeFile(join(folder, FOLDER, file.name), bytes)
  const form = new FormData()
  form.set('directory', 'bench')
  form.set('filename', file.name)
  form.set('file', new File([bytes], file.name))
  const headers = { authorization: `Bearer ${TOKEN}` }
  const { status } = await fetch(`${url}/api/assets`, { method: 'POST', body: form, headers })
  if (status !== 201) throw new WrongAnswer(`The upload of ${file.name} was answered ${status}.`)
  const served = await fetch(`${url}/${FOLDER}/${file.name}`)
  const isSame = Buffer.from(await served.arrayBuffer()).equals(bytes)
  if (!isSame) throw new WrongAnswer(`${file.name} was served with other bytes.`)
}

/** Files that serveUploads() serves, beside a bare server that streams them. */
export async function compareFiles(bench: Bench): Promise<readonly Comparison[]> {
  if (!bench.isAsked('serve')) return []
  bench.say('files …')
  const { databases, profiling, scratch, effort, generator } = bench
  const { targeting } = await makePlan(bench.store, bench.model)
  const store = await databases.blank()
  const env = { ...store.env, DAYBOOK_SERVICE_TOKEN: TOKEN }
  await using daybook = await Server.start([...profiling, ...startArgs(store, { config: CONFIG })], env)
  await using floor = await Server.start([FLOOR, scratch])
  const sides = [
    { name: 'floor', servers: [floor], database: databases, targeting },
    { name: 'daybook', servers: [daybook], database: databases, targeting },
  ] as const
  const found: Comparison[] = []
  for (const file of FILES) {
    await place(file, scratch, daybook.url)
    const kind = kindOf(file)
    const [bare, own] = await race(generator, kind, sides, effort)
    found.push(compare(kind, BESIDE, bare, own))
  }
  return found
}
