import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename } from 'node:path'
import pLimit from 'p-limit'
import type { Intake, StagedFile } from '../../assets/intake.ts'
import { mediaTypeOf, SIGNATURE_BYTES } from '../../assets/media-type.ts'
import { SYSTEM } from '../../auth/adapter.ts'
import { Access } from '../../content/access/access.ts'
import { createAsset } from '../../content/assets/create-asset.ts'
import { digestOf } from '../../content/assets/digest.ts'
import type { Files } from '../../content/assets/files.ts'
import { toNewAsset } from '../../content/assets/new-asset.ts'
import type { Engine } from '../../content/engine.ts'
import { type ImagePlace, imagePlaces, rewriteImages } from '../../content/markdown/image-places.ts'
import { writeContext } from '../../content/writes/context.ts'
import { ASSETS } from '../../fields/relations/asset.ts'
import type { CollectionModel } from '../../model/model.ts'
import { isUuidShaped } from '../../slugs.ts'
import { type Fault, FileError, fileErrorReason } from './file-error.ts'
import type { ImportRoot } from './source/import-root.ts'
import type { SourceFilePath } from './source/pages.ts'
import type { TargetField } from './target-field.ts'

/** What images are brought with, and from where. */
export interface ImagesParts {
  readonly engine: Engine
  readonly files: Files
  readonly intake: Intake
  readonly root: ImportRoot
}

/** A file that is an asset. */
interface BroughtFile {
  readonly id: string
  readonly url: string
}

/** A text whose images are assets, and those that are none. */
export interface RewrittenText {
  readonly text: string
  /** With lines of the text, from 1. */
  readonly faults: readonly Fault[]
}

/** How an image is brought. */
interface BringOptions {
  readonly alt?: string | undefined
  readonly locale?: string | undefined
}

/** Brings the images along that files refer to by paths, each once: the same bytes are one asset. */
export class ImportedImages {
  readonly counts: { uploaded: number; there: number; left: number } = { uploaded: 0, there: 0, left: 0 }
  readonly #parts: ImagesParts
  readonly #root: ImportRoot
  readonly #assets: CollectionModel
  /** By path. */
  readonly #brought = new Map<string, Promise<BroughtFile>>()
  /** One after the other, in the order in which texts name them: each finds what the ones before it have stored. */
  readonly #inTurn = pLimit(1)

  constructor(parts: ImagesParts) {
    this.#parts = parts
    this.#root = parts.root
    this.#assets = parts.engine.model.collections.get(ASSETS) as CollectionModel
  }

  /** Brings the images of a text, and puts their addresses in it. Those that cannot be brought are named, and stay as they are. */
  async rewrite(text: string, { path, locale }: SourceFilePath): Promise<RewrittenText> {
    const addresses = new Map<ImagePlace, string>()
    const faults: Fault[] = []
    for (const place of imagePlaces(text)) {
      const { address, alt, line } = place
      try {
        const file = this.#root.find(path, address)
        if (file === undefined) continue
        await this.#inTurn(() => requireImage(file))
        addresses.set(place, (await this.#bring(file, { alt, locale })).url)
      } catch (error) {
        faults.push({ line, message: `${address}: ${fileErrorReason(error)}; the image stays as it is written` })
        this.counts.left += 1
      }
    }
    return { text: rewriteImages(text, addresses), faults }
  }

  /**
   * Ids of assets in place of paths.
   *
   * @throws {FileError} when a path leads to no file that can be brought
   */
  async resolve(target: TargetField, value: unknown, file: SourceFilePath): Promise<unknown> {
    if (!Array.isArray(value)) return this.#idOf(target, value, file)
    const ids: unknown[] = []
    for (const one of value) ids.push(await this.#idOf(target, one, file))
    return [...new Set(ids)]
  }

  async #idOf({ key }: TargetField, value: unknown, { path, locale }: SourceFilePath): Promise<unknown> {
    const name = typeof value === 'string' ? value.trim() : value
    if (name === '') return null
    if (typeof name !== 'string' || isUuidShaped(name)) return name
    try {
      const file = this.#root.find(path, name)
      if (file === undefined) throw new FileError('is no path of a file of the folder')
      return (await this.#bring(file, { locale })).id
    } catch (error) {
      throw new FileError(`${name}: ${fileErrorReason(error)}`, { path: `/${key}` })
    }
  }

  /** @throws as an upload does */
  async #bring(path: string, options: BringOptions): Promise<BroughtFile> {
    const bringing = this.#brought.get(path) ?? this.#inTurn(() => this.#findOrUpload(path, options))
    this.#brought.set(path, bringing)
    return bringing
  }

  async #findOrUpload(path: string, options: BringOptions): Promise<BroughtFile> {
    const there = await this.#findBySha256(await digestOf(createReadStream(path)))
    if (there) return there
    const { intake } = this.#parts
    const staged = await intake.take(createReadStream(path), basename(path), new AbortController().signal)
    try {
      // The service may take data about the position out of an image, which leaves other bytes.
      return (await this.#findBySha256(staged.sha256)) ?? (await this.#store(staged, options))
    } finally {
      await intake.discard(staged.staged)
    }
  }

  async #findBySha256(sha256: string): Promise<BroughtFile | undefined> {
    const found = await this.#parts.engine.store.read.entries.storedBy(this.#assets, 'sha256', sha256)
    if (!found) return undefined
    this.counts.there += 1
    return JSON.parse(found.doc)
  }

  async #store(staged: StagedFile, { alt, locale }: BringOptions): Promise<BroughtFile> {
    const { engine, files } = this.#parts
    const asset = toNewAsset(staged, { alt: alt === '' ? undefined : alt }, files)
    const context = await writeContext(engine, new Access(engine.model, SYSTEM), { locale })
    const answer = await createAsset(context, files, this.#assets, asset)
    this.counts.uploaded += 1
    return JSON.parse(answer.json)
  }
}

/** @throws {FileError} when a file is no image */
async function requireImage(path: string): Promise<void> {
  const handle = await open(path)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(SIGNATURE_BYTES), 0, SIGNATURE_BYTES, 0)
    const type = await mediaTypeOf(buffer.subarray(0, bytesRead), basename(path))
    if (!type.startsWith('image/')) throw new FileError(`is ${type}, no image`)
  } finally {
    await handle.close()
  }
}
