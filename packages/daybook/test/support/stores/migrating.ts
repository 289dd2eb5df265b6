import type { DaybookConfig, MigrationContext } from 'daybook'
import { ContentContext } from '../../../src/content/context.ts'
import { MigrationLock, runMigrations } from '../../../src/content/transfer/run-migrations.ts'
import { compileModel } from '../../../src/model/compile.ts'
import type { Place } from './place.ts'

/** Opens a store as `daybook migrate` does. */
export async function withContentContext<T>(
  place: Place,
  config: unknown,
  work: (context: ContentContext) => Promise<T>,
): Promise<T> {
  const store = await place.store()
  const tools = { renderMarkdown: async (source: string) => source }
  try {
    return await work(new ContentContext({ model: compileModel(config as DaybookConfig), store, tools }))
  } finally {
    await store.close()
  }
}

export interface MigrateOptions {
  readonly name?: string
  readonly signal?: AbortSignal
}

/** Runs one migration as `daybook migrate` does. Returns the printed lines. */
export async function migrateBy(
  place: Place,
  config: unknown,
  run: (context: MigrationContext) => Promise<void>,
  { name = 'first', signal = new AbortController().signal }: MigrateOptions = {},
): Promise<readonly string[]> {
  const lines: string[] = []
  const log = (line: string): void => void lines.push(line)
  await withContentContext(place, config, async (context) => {
    const files = [{ name, hash: name, migration: { run } }]
    const lock = await MigrationLock.acquire(context.store, { onWait: () => log('waiting'), signal })
    await runMigrations(files, { context, lock, log, signal, dryRun: false }).finally(() => lock.release())
  })
  return lines
}
