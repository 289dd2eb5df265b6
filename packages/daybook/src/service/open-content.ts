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
import { createContentAlignment } from '../content/transfer/index.ts'
import type { DeriveTools } from '../fields/field.ts'
import { type Log, SILENT } from '../log.ts'
import type { Model } from '../model/model.ts'
import { DEFAULT_PLUGIN_MS } from '../plugin-host/plugin-host.ts'
import { collectWriteHooks } from '../plugin-host/write-hooks.ts'
import type { StoreOptions } from '../store/database.ts'
import { toFileError } from '../store/sqlite/sqlite-file.ts'
import { databaseFile, openStore } from '../store/store.ts'
import { requireNoPendingRenames, requireNoUnfinishedRestore } from './startup-checks.ts'

export interface ContentOptions extends StoreOptions, RendererOptions {
  /** True if a restore follows: the seed does not run, and the store may hold an unfinished restore. @default false */
  readonly isRestored?: boolean
  /** Receives the log of hooks. @default writes nothing */
  readonly log?: Log
}

/** The content of a service, without HTTP. */
export interface OpenContent {
  readonly context: ContentContext
  /** The files of its assets, whose store is opened on first use. */
  readonly files: Files
  readonly intake: Intake
  close(): Promise<void>
}

/**
 * Opens the store of a config or of a folder, migrates it to the config, and runs the seed of a new store.
 *
 * @throws {StartupError} if the store cannot be used as it is
 */
export async function openContent(
  model: Model,
  config: DaybookConfig,
  data: string,
  { isRestored = false, log = SILENT, ...options }: ContentOptions = {},
): Promise<OpenContent> {
  const content = await openUnprepared(model, config, data, { log, ...options })
  const { context, close } = content
  const { store } = context
  try {
    await store.prepare(model, createContentAlignment(model), (read) => requireNoPendingRenames(read, model))
    if (!isRestored) {
      await requireNoUnfinishedRestore(store.read)
      await seedStore(context, config, content.seedTools)
    }
    return content
  } catch (error) {
    await close()
    throw config.database ? error : toFileError(databaseFile(data), error)
  }
}

/** Content whose store may not be migrated to the config. */
interface UnpreparedContent extends OpenContent {
  /** The tools of the seed, which run in this thread, since starting another one would dominate the first start. */
  readonly seedTools: DeriveTools
}

/** Opens the store of a config or of a folder without migrating it. */
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
    context: () => context,
  })
  const { store: blobs = disk(), quota } = config.assets ?? {}
  const files = new Files({ model, store, log, quota, openBlobs: () => blobs.open({ data: resolve(data) }) })
  const intake = openIntake(files, config)
  const context: ContentContext = new ContentContext({ model, store, tools, files, intake, hooks })
  const close = async (): Promise<void> => {
    await renderer.close()
    await files.close()
    await store.close()
  }
  return { context, files, intake, seedTools, close }
}

function openIntake(files: Files, { assets = {} }: DaybookConfig): Intake {
  const { maxBytes = DEFAULT_FILE_BYTES, accept, stripLocation = true, images = {} } = assets
  return new Intake({
    stripsLocation: stripLocation,
    maxBytes,
    maxPixels: images.maxPixels ?? DEFAULT_IMAGE_PIXELS,
    accept,
    blobs: () => files.blobs(),
    createStagedName: () => files.createName(),
  })
}

/** Opens the image variants, with `sharp` if it is installed. */
export function openImages(files: Files, { assets = {} }: DaybookConfig, log: Log, closers: Closers): ImageVariants {
  const { maxPixels = DEFAULT_IMAGE_PIXELS, atOnce, timeMs = DEFAULT_IMAGE_MS, ...imageRules } = assets.images ?? {}
  const processor = openImageProcessor({ maxPixels, timeMs, ...(atOnce === undefined ? {} : { atOnce }), log })
  closers.defer(async () => processor?.close())
  const rules = { ...DEFAULT_IMAGE_RULES, ...imageRules }
  const images = new ImageVariants({ blobs: () => files.blobs(), processor, describeMs: timeMs, rules, log })
  files.attachImages(images)
  return images
}
