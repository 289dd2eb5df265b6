import { DIRECTORY, FILENAME } from '../../../assets/file-names.ts'
import type { ImageVariants } from '../../../assets/images/variants.ts'
import type { Intake } from '../../../assets/intake.ts'
import { FORM_BYTES, readUploadForm, type UploadForm } from '../../../assets/upload-form.ts'
import { createAsset, tryAsset } from '../../../content/assets/create-asset.ts'
import type { Files } from '../../../content/assets/files.ts'
import { toNewAsset } from '../../../content/assets/new-asset.ts'
import type { Engine } from '../../../content/engine.ts'
import type { EntryAnswer } from '../../../content/reads/index.ts'
import { writeContext } from '../../../content/writes/index.ts'
import type { JsonSchema } from '../../../fields/field.ts'
import type { CollectionModel } from '../../../model/model.ts'
import { DRY_RUN } from '../../../query/draft-query.ts'
import { writtenLocale } from '../../../query/locale.ts'
import { REPEAT_ERRORS, repeatable } from '../../answers/stored-replies.ts'
import { type BodyContract, defineRoute, type Route, WRITE_ERRORS, writeAnswer } from '../../contract.ts'
import { dryReply, type TextReply, writeReply } from '../../respond.ts'

/** The parts that the upload of files needs. */
export interface AssetParts {
  readonly engine: Engine
  readonly files: Files
  readonly intake: Intake
  readonly images: ImageVariants
  /** The number of proxies whose `X-Forwarded-For` is trusted. */
  readonly trustProxy: number
}

const UPLOAD_SCHEMA: JsonSchema = {
  type: 'object',
  properties: {
    file: { type: 'string', contentMediaType: 'application/octet-stream', description: 'The file.' },
    directory: {
      type: 'string',
      ...DIRECTORY,
      description: 'Where the file lies: up to 8 segments of letters, digits, ".", "_" and "-".',
      examples: ['images/2026'],
    },
    filename: {
      type: 'string',
      ...FILENAME,
      description: 'The name under which it lies. By default, one that is like its own name and cannot be guessed.',
      examples: ['cat.jpg'],
    },
    alt: { type: 'string', maxLength: 512, description: 'A text in place of the file, for readers who cannot see it.' },
  },
  required: ['file'],
  additionalProperties: false,
}

/** Stores a file and its asset. */
export function uploadRoute({ engine, files, intake, trustProxy }: AssetParts, assets: CollectionModel): Route {
  const { locales } = engine.model
  return defineRoute({
    method: 'POST',
    path: '/api/assets',
    operationId: 'uploadAsset',
    resource: assets,
    protection: 'session',
    action: 'create',
    summary: `Stores a file; ${intake.maxBytes} bytes at most.`,
    parameters: { ...writtenLocale(locales), ...DRY_RUN },
    conditions: ['ifMatch', 'ifNoneMatch', 'idempotencyKey'],
    body: uploadBody(intake),
    answers: [
      writeAnswer(201, 'The stored asset; `Location` is its address.', assets.schemas.read, [
        'Location',
        'Idempotency-Replayed',
      ]),
    ],
    errors: [...WRITE_ERRORS, ...REPEAT_ERRORS],
    // What a caller may not store does not come in.
    admit: async (_request, _path, access) => void (await access.requireWrite(assets, 'create')),
    run: async ({ access, body, conditions, query, request }) => {
      try {
        const { locale, dryRun } = query.values
        const asset = toNewAsset(body.file, body.texts, files)
        if (dryRun === 'true') {
          const context = await writeContext(engine, access, { locale, isDry: true })
          return dryReply(201, (await tryAsset(context, files, assets, asset)).json)
        }
        const { sha256 } = asset.facts
        const what = {
          request: [assets.key, sha256, body.texts, ...(locale === undefined ? [] : [locale])],
          collections: [assets],
          shown: (stored: string) => [{ collection: assets.key, id: JSON.parse(stored).id }],
        }
        const repetition = { engine, access, key: conditions.idempotencyKey, request, trustProxy }
        return await repeatable(repetition, what, toReply, async (transact) => {
          const context = await writeContext(engine, access, { locale, transact })
          return createAsset(context, files, assets, asset)
        })
      } finally {
        await intake.discard(body.file.staged)
      }
    },
  })
}

const uploadBody = (intake: Intake): BodyContract<UploadForm> => ({
  description: 'A form with one file.',
  mediaTypes: ['multipart/form-data'],
  schema: UPLOAD_SCHEMA,
  limit: intake.maxBytes + FORM_BYTES,
  read: (request) => {
    const { headers } = request
    const form = {
      type: headers.get('content-type'),
      encoding: headers.get('content-encoding'),
      length: headers.get('content-length'),
      open: () => request.toStream(),
    }
    return readUploadForm(form, intake)
  },
})

const toReply = (asset: EntryAnswer): TextReply => writeReply(201, asset, { Location: `/api/assets/${asset.id}` })
