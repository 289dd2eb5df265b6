import { existsSync } from 'node:fs'
import { mkdtemp, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inflate } from '@sparticuz/chromium'

const PACKED = fileURLToPath(new URL('../bin', import.meta.resolve('@sparticuz/chromium')))

/** Names the folder of a test run that has the browser once it is unpacked: 200 MB, which dozens of files use. */
export const RUN_FOLDER = 'DAYBOOK_TEST_BROWSER'

/** The Chromium that npm brought, ready to start. */
export interface UnpackedChromium {
  readonly executablePath: string
  /** Libraries that a bare Linux lacks. */
  readonly libraries: string
}

/** @param folder where it is unpacked to when no test run has a place for it */
export async function unpackedChromium(folder: string): Promise<UnpackedChromium> {
  const shared = process.env[RUN_FOLDER]
  const place = shared === undefined ? join(folder, 'unpacked') : join(shared, 'unpacked')
  if (!existsSync(place)) await unpack(place)
  return { executablePath: join(place, 'chromium'), libraries: join(place, 'al2023/lib') }
}

/** Several processes may do so at the same time: the folder appears whole, and the first one stays. */
async function unpack(place: string): Promise<void> {
  const own = await mkdtemp(`${place}-`)
  const { TMPDIR: before } = process.env
  // Where it is unpacked to, nobody can say otherwise; it is read as the unpacking begins.
  process.env.TMPDIR = own
  const unpacking = ['chromium.br', 'al2023.tar.br'].map((name) => inflate(join(PACKED, name)))
  if (before === undefined) delete process.env.TMPDIR
  else process.env.TMPDIR = before
  await Promise.all(unpacking)
  await rename(own, place).catch(async (error) => {
    await rm(own, { recursive: true, force: true })
    if (!existsSync(place)) throw error
  })
}
