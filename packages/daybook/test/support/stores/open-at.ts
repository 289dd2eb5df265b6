import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createService, type DaybookConfig, type Service } from 'daybook'
import { postgres } from 'daybook/postgres'

/** A service of a process of its own, on the store that a `Place` has at this address: the URL of a database, or a folder. */
export function openAt(address: string, config: DaybookConfig): Promise<Service> {
  if (!address.startsWith('postgres:')) return createService(config, { data: address })
  // Its files belong to the process, which may be killed: the folder stays empty then.
  const data = mkdtempSync(join(tmpdir(), 'daybook-files-'))
  process.once('exit', () => rmSync(data, { recursive: true, force: true }))
  return createService({ ...config, database: postgres(address) }, { data })
}
