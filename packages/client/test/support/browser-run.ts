import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RUN_FOLDER } from './unpacked-chromium.ts'

/** Creates a folder for the browser of a test run. The first test that needs the browser unpacks it there. */
export async function setup(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'daybook-chromium-'))
  process.env[RUN_FOLDER] = folder
  return () => rm(folder, { recursive: true, force: true })
}
