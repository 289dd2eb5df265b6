import { resolve } from 'node:path'
import { disk } from '../assets/disk.ts'
import { DEFAULT_IMAGE_RULES } from '../assets/images/image-request.ts'
import { openImageProcessor } from '../assets/images/processor/image-processor.ts'
import { ImageVariants } from '../assets/images/variants.ts'
import { Intake } from '../assets/intake.ts'
import type { Closers } from '../closers.ts'
import { DEFAULT_FILE_BYTES, DEFAULT_IMAGE_MS, DEFAULT_IMAGE_PIXELS } from '../config/assets.ts'
import type { DaybookConfig } from '../config/config.ts'
import { Files } from '../content/assets/files.ts'
import { ContentContext } from '../content/context.ts'
import { MarkdownRenderer, type RendererOptions } from '../content/markdown/markdown-renderer.ts'
import { seedStore } from '../content/seed.ts'
import { createStoredContent } from '../content/transfer/index.ts'
import type { DeriveTools } from '../fields/field.ts'
import { type Log, SILENT } from '../log.ts'
import type { Model } from '../model/model.ts'
import { DEFAULT_PLUGIN_MS } from '../plugin-host/plugin-host.ts'
import { collectWriteHooks } from '../plugin-host/write-hooks.ts'
import type { StoreOptions } from '../store/database.ts'
import { toFileError } from '../store/sqlite/sqlite-file.ts'
import { databaseFile, openStore } from '../store/store.ts'
import { requireNoPendingRenames, requireNoUnfinishedRestore } from './startup-checks.ts'

/** The options of opening content without a service. */
export interface ContentOptions extends StoreOptions, RendererOptions {
  /** True if a restore follows: the seed does not run, and the store may hold an unfinished restore. @default false */
  readonly isRestored?: boolean
  /** Receives the log of hooks. @default writes nothing */
  readonly log?: Log
}

/** The content of a service, without HTTP. */
export interface OpenContent {
  readonly context: ContentContext
  /** The files of its assets; their store is opened when it is first needed. */
  readonly files: Files
  readonly intake: Intake
  close(): Promise<void>
}

/**
 * Opens the store of a config or of a folder, brings it into the form of the config, and runs the seed if it is new.
 *
 * @throws {StartupError} when the store cannot be used as it is
 */
export async function openContent(
  model: Model,
  config: DaybookConfig,
  data: string,
  { isRestored = false, log = SILENT, ...options }: ContentOptions = {},
): Promise<OpenContent> {
  const opened = await openUnprepared(model, config, data, { log, ...options })
  const { context: engine, close } = opened
  const { store } = engine
  try {
    await store.prepare(model, createStoredContent(model), (read) => requireNoPendingRenames(read, model))
    if (!isRestored) {
      await requireNoUnfinishedRestore(store.read)
      await seedStore(engine, config, opened.seedTools)
    }
    return opened
  } catch (error) {
    await close()
    throw config.database ? error : toFileError(databaseFile(data), error)
  }
}

/** Content whose store may not have the form of the config yet. */
interface UnpreparedContent extends OpenContent {
  /** Derive the values of the seed: starting a thread for a single text would be most of a first start. */
  readonly seedTools: DeriveTools
}

/** Opens the store of a config or of a folder as it is. */
export async function openUnprepared(
  model: Model,
  config: DaybookConfig,
  data: string,
  { log = SILENT, ...options }: ContentOptions = {},
): Promise<UnpreparedContent> {
  const store = await openStore(config, data, options)
  const renderer = new MarkdownRenderer(config.markdown, { renderMs: config.limits?.renderMs, ...options })
  const tools = { renderMarkdown: (source: string) => renderer.render(source) }
  const seedTools = { renderMarkdown: (source: string) => renderer.renderHere(source) }
  const hooks = collectWriteHooks({
    model,
    log,
    limitMs: config.limits?.pluginMs ?? DEFAULT_PLUGIN_MS,
    context: () => engine,
  })
  const { store: blobs = disk(), quota } = config.assets ?? {}
  const files = new Files({ model, store, log, quota, openBlobs: () => blobs.open({ data: resolve(data) }) })
  const intake = openIntake(files, config)
  const engine: ContentContext = new ContentContext({ model, store, tools, files, intake, hooks })
  const close = async (): Promise<void> => {
    await renderer.close()
    await files.close()
    await store.close()
  }
  return { context: engine, files, intake, seedTools, close }
}

function openIntake(files: Files, { assets = {} }: DaybookConfig): Intake {
  const { maxBytes = DEFAULT_FILE_BYTES, accept, keepPosition = false, images = {} } = assets
  return new Intake({
    keepsPosition: keepPosition,
    maxBytes,
    maxPixels: images.maxPixels ?? DEFAULT_IMAGE_PIXELS,
    accept,
    blobs: () => files.blobs(),
    createStagedName: () => files.createName(),
  })
}

/** Opens the pictures that are made of files, with `sharp` where that is installed. */
export function openImages(files: Files, { assets = {} }: DaybookConfig, log: Log, opened: Closers): ImageVariants {
  const { maxPixels = DEFAULT_IMAGE_PIXELS, atOnce, timeMs = DEFAULT_IMAGE_MS, ...imageRules } = assets.images ?? {}
  const processor = openImageProcessor({ maxPixels, timeMs, ...(atOnce === undefined ? {} : { atOnce }), log })
  opened.defer(async () => processor?.close())
  const rules = { ...DEFAULT_IMAGE_RULES, ...imageRules }
  const images = new ImageVariants({ blobs: () => files.blobs(), processor, describeMs: timeMs, rules, log })
  files.attachImages(images)
  return images
}
