import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createService, type DaybookConfig, type Service } from 'daybook'
import { slowMachinePostgres } from '../postgres/slow-machine-postgres.ts'

/** Opens a service in another process than the test, at the address of a `Place`: the URL of a database, or a folder. */
export function openAt(address: string, config: DaybookConfig): Promise<Service> {
  if (!address.startsWith('postgres:')) return createService(config, { data: address })
  // If the process is killed, an empty folder stays behind.
  const data = mkdtempSync(join(tmpdir(), 'daybook-files-'))
  process.once('exit', () => rmSync(data, { recursive: true, force: true }))
  return createService({ ...config, database: slowMachinePostgres(address) }, { data })
}
