import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename } from 'node:path'
import pLimit from 'p-limit'
import type { Intake, StagedFile } from '../../assets/intake.ts'
import { detectMediaType, SIGNATURE_BYTES } from '../../assets/media-type.ts'
import { SYSTEM } from '../../auth/adapter.ts'
import { Access } from '../../content/access/access.ts'
import { createAsset, toNewAsset } from '../../content/assets/create-asset.ts'
import { computeDigest } from '../../content/assets/digest.ts'
import type { Files } from '../../content/assets/files.ts'
import type { ContentContext } from '../../content/context.ts'
import { findImages, type ImageReference, rewriteImages } from '../../content/markdown/markdown-images.ts'
import { createWriteContext } from '../../content/writes/index.ts'
import { ASSETS } from '../../fields/asset.ts'
import type { CollectionModel } from '../../model/model.ts'
import { isUuidShaped } from '../../slugs.ts'
import type { TargetField } from './field-values.ts'
import { type Fault, FileError, formatFileError } from './file-error.ts'
import type { ImportRoot, SourceFilePath } from './source-files.ts'

/** The services and the folder of {@link ImportedImages}. */
export interface ImagesParts {
  readonly context: ContentContext
  readonly files: Files
  readonly intake: Intake
  readonly root: ImportRoot
}

interface ImportedAsset {
  readonly id: string
  readonly url: string
}

/** A text whose images are assets, and the faults of images that are not. */
export interface RewrittenText {
  readonly text: string
  /** The faults, with lines of the text, from 1. */
  readonly faults: readonly Fault[]
}

interface AssetTexts {
  readonly alt?: string | undefined
  readonly locale?: string | undefined
}

/** Imports the images that files refer to by paths. Equal bytes become one asset. */
export class ImportedImages {
  readonly counts: { uploaded: number; existing: number; failed: number } = { uploaded: 0, existing: 0, failed: 0 }
  readonly #parts: ImagesParts
  readonly #root: ImportRoot
  readonly #assets: CollectionModel
  readonly #imported = new Map<string, Promise<ImportedAsset>>()
  /** Images are imported one after the other, in the order of the texts, so that each finds earlier ones by digest. */
  readonly #queue = pLimit(1)

  constructor(parts: ImagesParts) {
    this.#parts = parts
    this.#root = parts.root
    this.#assets = parts.context.model.collections.get(ASSETS) as CollectionModel
  }

  /** Imports the images of a text, and writes their addresses into it. Images that fail are faults, and stay as they are. */
  async rewrite(text: string, { path, locale }: SourceFilePath): Promise<RewrittenText> {
    const addresses = new Map<ImageReference, string>()
    const faults: Fault[] = []
    for (const reference of findImages(text)) {
      const { address, alt, line } = reference
      try {
        const file = this.#root.find(path, address)
        if (file === undefined) continue
        await this.#queue(() => requireImage(file))
        addresses.set(reference, (await this.#import(file, { alt, locale })).url)
      } catch (error) {
        const message = `The image ${address} was not imported, and its reference stays unchanged. ${formatFileError(error)}`
        faults.push({ line, message })
        this.counts.failed += 1
      }
    }
    return { text: rewriteImages(text, addresses), faults }
  }

  /**
   * Replaces paths with ids of assets.
   *
   * @throws {FileError} if a path leads to no file that can be imported
   */
  async resolve(target: TargetField, value: unknown, file: SourceFilePath): Promise<unknown> {
    if (!Array.isArray(value)) return this.#toId(target, value, file)
    const ids: unknown[] = []
    for (const item of value) ids.push(await this.#toId(target, item, file))
    return [...new Set(ids)]
  }

  async #toId({ key }: TargetField, value: unknown, { path, locale }: SourceFilePath): Promise<unknown> {
    const name = typeof value === 'string' ? value.trim() : value
    if (name === '') return null
    if (typeof name !== 'string' || isUuidShaped(name)) return name
    try {
      const file = this.#root.find(path, name)
      if (file === undefined) throw new FileError('It is not the path of a file in the folder.')
      return (await this.#import(file, { locale })).id
    } catch (error) {
      throw new FileError(`refers to "${name}", which cannot be imported. ${formatFileError(error)}`, {
        path: `/${key}`,
      })
    }
  }

  /** @throws like an upload */
  async #import(path: string, texts: AssetTexts): Promise<ImportedAsset> {
    const asset = this.#imported.get(path) ?? this.#queue(() => this.#findOrUpload(path, texts))
    this.#imported.set(path, asset)
    return asset
  }

  async #findOrUpload(path: string, texts: AssetTexts): Promise<ImportedAsset> {
    const existingAsset = await this.#findBySha256(await computeDigest(createReadStream(path)))
    if (existingAsset) return existingAsset
    const { intake } = this.#parts
    const staged = await intake.stage(createReadStream(path), basename(path), new AbortController().signal)
    try {
      // The service may remove the location from an image, which changes its bytes.
      return (await this.#findBySha256(staged.sha256)) ?? (await this.#store(staged, texts))
    } finally {
      await intake.discard(staged.stagedName)
    }
  }

  async #findBySha256(sha256: string): Promise<ImportedAsset | undefined> {
    const row = await this.#parts.context.store.read.entries.storedByValue(this.#assets, 'sha256', sha256)
    if (!row) return undefined
    this.counts.existing += 1
    return JSON.parse(row.doc)
  }

  async #store(staged: StagedFile, { alt, locale }: AssetTexts): Promise<ImportedAsset> {
    const { context, files } = this.#parts
    const asset = toNewAsset(staged, { alt: alt === '' ? undefined : alt }, files)
    const writeContext = await createWriteContext(context, new Access(context.model, SYSTEM), { locale })
    const created = await createAsset(writeContext, files, this.#assets, asset)
    this.counts.uploaded += 1
    return JSON.parse(created.json)
  }
}

/** @throws {FileError} if a file is no image */
async function requireImage(path: string): Promise<void> {
  const handle = await open(path)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(SIGNATURE_BYTES), 0, SIGNATURE_BYTES, 0)
    const type = await detectMediaType(buffer.subarray(0, bytesRead), basename(path))
    if (!type.startsWith('image/')) throw new FileError(`The file has the type ${type}, which is not an image.`)
  } finally {
    await handle.close()
  }
}
