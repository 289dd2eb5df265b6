import { Readable } from 'node:stream'
import { DIRECTORY_RULE, FILENAME_RULE } from '../../assets/file-names.ts'
import {
  IMAGE_FITS,
  IMAGE_FORMATS,
  type ImageRequest,
  type ImageRules,
  MAX_SIDE,
} from '../../assets/images/image-request.ts'
import type { ImageSource, ImageVariants } from '../../assets/images/variants.ts'
import type { Intake } from '../../assets/intake.ts'
import { MAX_FORM_BYTES, readUploadForm, type UploadForm } from '../../assets/upload-form.ts'
import { createAsset, dryRunAsset, toNewAsset } from '../../content/assets/create-asset.ts'
import type { Files } from '../../content/assets/files.ts'
import type { ContentContext } from '../../content/context.ts'
import { type EntryResponse, readEntry } from '../../content/reads/index.ts'
import { createWriteContext } from '../../content/writes/index.ts'
import type { JsonSchema } from '../../fields/field.ts'
import type { CollectionModel } from '../../model/model.ts'
import { DRY_RUN_PARAMETERS } from '../../query/draft-query.ts'
import { writeLocaleParameter } from '../../query/locale-parameters.ts'
import {
  countParameter,
  enumParameter,
  Faults,
  type Parameter,
  type ParametersOf,
  Query,
  textParameter,
} from '../../query/parameters.ts'
import {
  type BodyContract,
  defineRoute,
  describeWriteResponse,
  type HeaderName,
  READ_ERRORS,
  type Route,
  WRITE_ERRORS,
} from '../contract.ts'
import { IDEMPOTENCY_ERRORS, withIdempotency } from '../idempotency.ts'
import { isNotModified } from '../request-headers.ts'
import {
  buildDryRunResponse,
  buildReadResponse,
  buildWriteResponse,
  type CachePolicy,
  type TextResponse,
  VARY,
} from '../response.ts'
import { EXAMPLE_ID } from './schemas.ts'

export interface AssetParts {
  readonly context: ContentContext
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
      ...DIRECTORY_RULE,
      description: 'The directory of the file: up to 8 segments of letters, digits, ".", "_" and "-".',
      examples: ['images/2026'],
    },
    filename: {
      type: 'string',
      ...FILENAME_RULE,
      description: 'The stored file name. By default, a name that resembles the original one and cannot be guessed.',
      examples: ['cat.jpg'],
    },
    alt: { type: 'string', maxLength: 512, description: 'A text alternative for people who cannot see the file.' },
  },
  required: ['file'],
  additionalProperties: false,
}

export function uploadRoute({ context, files, intake, trustProxy }: AssetParts, assets: CollectionModel): Route {
  const { locales } = context.model
  return defineRoute({
    method: 'POST',
    path: '/api/assets',
    operationId: 'uploadAsset',
    resource: assets,
    protection: 'session',
    action: 'create',
    summary: `Uploads a file; at most ${intake.maxBytes} bytes.`,
    parameters: { ...writeLocaleParameter(locales), ...DRY_RUN_PARAMETERS },
    requestHeaders: ['ifMatch', 'ifNoneMatch', 'idempotencyKey'],
    body: describeUploadBody(intake),
    responses: [
      describeWriteResponse(201, 'The stored asset; `Location` is its URL.', assets.schemas.read, [
        'Location',
        'Idempotency-Replayed',
      ]),
    ],
    errors: [...WRITE_ERRORS, ...IDEMPOTENCY_ERRORS],
    // The file of an unauthorized caller is not received.
    admit: async (_request, _path, access) => void (await access.authorizeWrite(assets, 'create')),
    run: async ({ access, body, headers, query, request }) => {
      try {
        const { locale, dryRun } = query.values
        const asset = toNewAsset(body.file, body.texts, files)
        if (dryRun === 'true') {
          const writeContext = await createWriteContext(context, access, { locale, isDry: true })
          return buildDryRunResponse(201, (await dryRunAsset(writeContext, files, assets, asset)).json)
        }
        const { sha256 } = asset.metadata
        const write = {
          request: [assets.key, sha256, body.texts, ...(locale === undefined ? [] : [locale])],
          collections: [assets],
          listEntries: (stored: string) => [{ collection: assets.key, id: JSON.parse(stored).id }],
        }
        const options = { context, access, key: headers.idempotencyKey, request, trustProxy }
        return await withIdempotency(options, write, toResponse, async (transact) => {
          const writeContext = await createWriteContext(context, access, { locale, transact })
          return createAsset(writeContext, files, assets, asset)
        })
      } finally {
        await intake.discard(body.file.stagedName)
      }
    },
  })
}

const describeUploadBody = (intake: Intake): BodyContract<UploadForm> => ({
  description: 'A form with one file.',
  mediaTypes: ['multipart/form-data'],
  schema: UPLOAD_SCHEMA,
  limit: intake.maxBytes + MAX_FORM_BYTES,
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

const toResponse = (asset: EntryResponse): TextResponse =>
  buildWriteResponse(201, asset, { Location: `/api/assets/${asset.id}` })

/** The parsed query. Its choices are validated as those of {@link ImageRequest}. */
type ImageQuery = Omit<ImageRequest, 'fit' | 'format'> & { readonly fit?: string; readonly format?: string }

const HEADERS: readonly HeaderName[] = ['ETag', 'Cache-Control', 'Vary']

const BYTES: JsonSchema = { type: 'string', contentMediaType: 'application/octet-stream' }

/** The empty query for reading the asset. */
const WHOLE_ASSET = new Query({}, new Faults())

/** The route of an asset's image in another size or format, for callers who may read the asset. */
export function imageRoute({ context, images, ...policy }: CachePolicy & AssetParts, assets: CollectionModel): Route {
  return defineRoute({
    method: 'GET',
    path: '/api/assets/:id/image',
    pathParameters: {
      id: { description: 'The id of the asset.', schema: { type: 'string', format: 'uuid' }, example: EXAMPLE_ID },
    },
    operationId: 'getAssetImage',
    resource: assets,
    protection: 'public',
    summary: 'Returns an image that is resized, cropped, or converted to another format.',
    parameters: describeImageParameters(images.rules),
    requestHeaders: ['ifMatch', 'ifNoneMatch', 'minSeq'],
    responses: [
      { status: 200, description: 'The image.', mediaType: 'image/*', schema: BYTES, headers: HEADERS },
      { status: 304, description: 'Not modified.', headers: HEADERS },
    ],
    errors: [...READ_ERRORS, 'NOT_IMPLEMENTED'],
    run: async ({ access, headers, path, query, request }) => {
      const asset = await readEntry(
        context.resolveReplica(access, headers.minSeq),
        access,
        assets,
        path.id ?? '',
        WHOLE_ASSET,
      )
      const accept = request.headers.get('accept') ?? undefined
      const variant = images.plan(toSource(await asset.read()), query.values as ImageRequest, accept)
      const { headers: cacheHeaders } = buildReadResponse(policy, access, variant.etag, undefined, asset.surrogateKeys)
      const responseHeaders = { ...cacheHeaders, Vary: variant.variesByAccept ? `${VARY}, Accept` : VARY }
      if (isNotModified(headers, variant.etag)) return { status: 304, headers: responseHeaders }
      const { content } = await images.read(variant)
      return {
        status: 200,
        content: Readable.toWeb(content) as ReadableStream<Uint8Array>,
        headers: { ...responseHeaders, 'Content-Type': variant.type },
      }
    },
  })
}

/** Describes the parameters. With a secret, a signature also allows values that are not in the lists. */
function describeImageParameters({ widths, qualities, secret }: ImageRules): ParametersOf<ImageQuery> {
  const isSigned = secret !== undefined
  const limited = (description: string, allowed: readonly number[], maximum: number): Parameter<number> => {
    const schema: JsonSchema = isSigned ? { type: 'integer', minimum: 1, maximum } : { type: 'integer', enum: allowed }
    return { ...countParameter(description), schema }
  }
  const side = { type: 'integer', minimum: 1, maximum: MAX_SIDE } as const
  return {
    w: limited('The maximum width, in pixels.', widths, MAX_SIDE),
    h: {
      ...countParameter('The maximum height, in pixels; without a signature, it has to equal w.'),
      schema: side,
    },
    fit: enumParameter('The fit into w and h; cover is the default.', IMAGE_FITS),
    format: enumParameter('auto, the default, is the smallest format in `Accept`.', ['auto', ...IMAGE_FORMATS]),
    q: limited('The quality.', qualities, 100),
    ...(isSigned ? { signature: textParameter('The signature of these parameters for this asset.', SIGNATURE) } : {}),
  }
}

/** HMAC-SHA-256 in base64url. */
const SIGNATURE = { minLength: 43, maxLength: 43 }

function toSource(json: string): ImageSource {
  const { id, sha256, path, mimeType, width, focalPoint } = JSON.parse(json)
  return {
    id,
    sha256,
    path,
    mimeType,
    ...(typeof width === 'number' ? { width } : {}),
    ...(focalPoint ? { focal: focalPoint } : {}),
  }
}
