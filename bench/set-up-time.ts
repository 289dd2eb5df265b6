// node bench/set-up-time.ts: from nothing to the first answer, as somebody has it who has never seen this repository.
import { parseArgs } from 'node:util'
import { FreshFolder } from '../scripts/packages/fresh-folder.ts'
import { median } from './load/measure.ts'

const { values: given } = parseArgs({ options: { runs: { type: 'string', default: '3' } } })

/** What one run took, in seconds. */
interface SetUp {
  /** `npm create daybook`, with what it installs. */
  readonly create: number
  /** From `npm start` to the answer. */
  readonly start: number
}

async function setUp(fresh: FreshFolder, folder: string): Promise<SetUp> {
  const begun = performance.now()
  const { status, stderr } = await fresh.run('.', 'npm', 'create', 'daybook', folder)
  if (status !== 0) throw new Error(`npm create daybook failed:\n${stderr}`)
  const created = performance.now()
  await using service = await fresh.serve(folder, 'npm', 'start', '--', '--port', '0', '--log', 'error')
  const { status: answered } = await fetch(`${service.url}/api/posts?include=author`)
  if (answered !== 200) throw new Error(`GET /api/posts answered ${answered}`)
  return { create: (created - begun) / 1000, start: (performance.now() - created) / 1000 }
}

const runs: SetUp[] = []
for (let n = 1; n <= Number(given.runs); n++) {
  // Each from scratch: a folder's npm has the tarballs of this machine's cache, and has asked about nothing.
  await using fresh = await FreshFolder.make()
  const run = await setUp(fresh, 'my-content')
  process.stdout.write(`${n}: npm create daybook ${run.create.toFixed(1)} s, start ${run.start.toFixed(1)} s\n`)
  runs.push(run)
}
process.stdout.write(`median, together: ${median(runs.map(({ create, start }) => create + start)).toFixed(1)} s\n`)
