import { existsSync } from 'node:fs'
import { mkdtemp, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inflate } from '@sparticuz/chromium'

const PACKED = fileURLToPath(new URL('../bin', import.meta.resolve('@sparticuz/chromium')))

/** The variable with the folder of the unpacked browser, which all files of a test run share (200 MB). */
export const RUN_FOLDER = 'DAYBOOK_TEST_BROWSER'

export interface UnpackedChromium {
  readonly executablePath: string
  /** The folder of libraries that a minimal Linux lacks. */
  readonly libraries: string
}

/** Unpacks Chromium unless the test run has done so. @param folder the folder to unpack to outside a test run */
export async function unpackedChromium(folder: string): Promise<UnpackedChromium> {
  const shared = process.env[RUN_FOLDER]
  const place = shared === undefined ? join(folder, 'unpacked') : join(shared, 'unpacked')
  if (!existsSync(place)) await unpack(place)
  return { executablePath: join(place, 'chromium'), libraries: join(place, 'al2023/lib') }
}

/** Unpacks atomically, since several processes may unpack at the same time; the first one wins. */
async function unpack(place: string): Promise<void> {
  const temporaryFolder = await mkdtemp(`${place}-`)
  const { TMPDIR: before } = process.env
  // inflate() unpacks to TMPDIR, which it reads when it begins.
  process.env.TMPDIR = temporaryFolder
  const unpacking = ['chromium.br', 'al2023.tar.br'].map((name) => inflate(join(PACKED, name)))
  if (before === undefined) delete process.env.TMPDIR
  else process.env.TMPDIR = before
  await Promise.all(unpacking)
  await rename(temporaryFolder, place).catch(async (error) => {
    await rm(temporaryFolder, { recursive: true, force: true })
    if (!existsSync(place)) throw error
  })
}
