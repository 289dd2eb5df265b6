import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RUN_FOLDER } from './unpacked-chromium.ts'

/** Gives a test run one place for the browser, which is unpacked there when a test first asks for it. */
export async function setup(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'daybook-chromium-'))
  process.env[RUN_FOLDER] = folder
  return () => rm(folder, { recursive: true, force: true })
}
