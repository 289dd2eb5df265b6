import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import NativeDatabase from 'better-sqlite3'
import type { DaybookConfig } from '../../config/config.ts'
import type { Engine } from '../../content/engine.ts'
import { MarkdownRenderer } from '../../content/markdown-renderer.ts'
import type { Model } from '../../model/model.ts'
import { databaseFile, refusePending, seed } from '../../service.ts'
import { openSqlite } from '../../store/sqlite.ts'
import { Store } from '../../store/store.ts'

/** An engine without a service around it. */
export interface OpenEngine {
  readonly engine: Engine
  close(): Promise<void>
}

/** How long one text may take to render, in milliseconds: nobody waits for an answer, and the machine may be busy. */
const RENDER_MS = 60_000
/** How long copying waits for a writer, in milliseconds. */
const PATIENCE_MS = 5000

/** Opens the store of a folder as a starting service does, first entries included. */
export async function openEngine(model: Model, config: DaybookConfig, data: string): Promise<OpenEngine> {
  const store = new Store(openSqlite(databaseFile(data)))
  const renderer = new MarkdownRenderer(Math.max(config.limits?.renderMs ?? 0, RENDER_MS))
  const tools = { renderMarkdown: (source: string) => renderer.render(source) }
  const engine: Engine = { model, store, tools, totals: new Map() }
  const close = async (): Promise<void> => {
    await renderer.close()
    await store.close()
  }
  try {
    await store.prepare(model, (read) => refusePending(read, model))
    await seed(engine, config)
    return { engine, close }
  } catch (error) {
    await close()
    throw error
  }
}

/**
 * Opens a copy of the store that is gone after `close`: what is done to it goes the way of the real thing, sees what
 * it did before, and keeps no writer waiting.
 */
export async function openCopy(model: Model, config: DaybookConfig, data: string): Promise<OpenEngine> {
  const folder = await mkdtemp(join(tmpdir(), 'daybook-dry-run-'))
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true })
  try {
    copyDatabase(databaseFile(data), databaseFile(folder))
    const { engine, close } = await openEngine(model, config, folder)
    return { engine, close: () => close().finally(remove) }
  } catch (error) {
    await remove()
    throw error
  }
}

function copyDatabase(from: string, to: string): void {
  if (!existsSync(from)) return
  const native = new NativeDatabase(from, { timeout: PATIENCE_MS })
  try {
    native.prepare('VACUUM INTO ?').run(to)
  } finally {
    native.close()
  }
}
