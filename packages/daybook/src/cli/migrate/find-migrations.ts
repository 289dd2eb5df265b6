import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Migration } from '../../content/migrations/define-migration.ts'
import type { LoadedMigration, MigrationFile } from '../../content/migrations/run-migrations.ts'
import { MigrationError } from '../../errors.ts'
import { isRecord } from '../../fields/field.ts'

/** A migration's file on the disk. */
export interface FoundMigration extends MigrationFile {
  readonly path: string
}

const CODE = /^(?!.*\.d\.[cm]?ts$)(.+)\.([cm]?[jt]s)$/
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/

/**
 * The migrations in the folder `migrations` beside a config, in the order of their names. Files that are no code are passed over.
 *
 * @throws {MigrationError} for a name that no migration can have, or that two have
 */
export function findMigrations(configFile: string): readonly FoundMigration[] {
  const folder = join(dirname(configFile), 'migrations')
  const found = new Map<string, FoundMigration>()
  for (const file of namesIn(folder)) {
    const [, name] = CODE.exec(file) ?? []
    if (name === undefined) continue
    if (!NAME.test(name))
      throw new MigrationError(
        `migrations/${file}: name it with at most 100 letters, digits, - and _, such as 2026-11-22-split-names.ts`,
      )
    if (found.has(name)) throw new MigrationError(`migrations/${file}: another file is named ${name}, too; rename one.`)
    found.set(name, { name, path: join(folder, file), hash: digestOf(join(folder, file)) })
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((one) => !one.isDirectory() && !one.name.startsWith('.'))
      .map(({ name }) => name)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return []
    throw new MigrationError(`The folder migrations cannot be read: ${code ?? message}`)
  }
}

/** Line ends differ between checkouts of the same text. */
const digestOf = (path: string): string =>
  createHash('sha256').update(readFileSync(path, 'utf8').replaceAll('\r\n', '\n')).digest('base64url')

/** @throws {MigrationError} when a file cannot be loaded, or has no migration as its default export */
export async function loadMigrations(files: readonly FoundMigration[]): Promise<readonly LoadedMigration[]> {
  const loaded: LoadedMigration[] = []
  for (const { name, hash, path } of files) loaded.push({ name, hash, migration: await loadMigration(name, path) })
  return loaded
}

async function loadMigration(name: string, path: string): Promise<Migration> {
  const module = await import(pathToFileURL(path).href).catch((error: unknown) => {
    throw new MigrationError(`migrations/${name} cannot be loaded: ${error instanceof Error ? error.message : error}`)
  })
  const given: unknown = (module as { readonly default?: unknown }).default
  if (!isRecord(given) || typeof given.run !== 'function')
    throw new MigrationError(
      `migrations/${name} exports no migration. Write: export default defineMigration({ async run({ content }) { … } })`,
    )
  const { description } = given
  if (description !== undefined && typeof description !== 'string')
    throw new MigrationError(`migrations/${name}: write the description as a text, or leave it out.`)
  return given as unknown as Migration
}
