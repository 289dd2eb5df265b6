import { Readable } from 'node:stream'
import {
  IMAGE_FITS,
  IMAGE_FORMATS,
  type ImageRequest,
  type ImageRules,
  MAX_SIDE,
} from '../../../assets/images/image-request.ts'
import type { ImageSource } from '../../../assets/images/variants.ts'
import { readEntry } from '../../../content/reads/index.ts'
import type { JsonSchema } from '../../../fields/field.ts'
import type { CollectionModel } from '../../../model/model.ts'
import {
  choice,
  countParameter,
  Faults,
  type Parameter,
  type ParametersOf,
  Query,
  textParameter,
} from '../../../query/parameters.ts'
import { isKnown } from '../../conditions.ts'
import { defineRoute, type HeaderName, READ_ERRORS, type Route } from '../../contract.ts'
import { type ReadPolicy, readReply, VARY } from '../../respond.ts'
import { EXAMPLE_ID } from '../schemas.ts'
import type { AssetParts } from './assets.ts'

/** A request as it is parsed: its choices are among those of {@link ImageRequest}. */
type ImageQuery = Omit<ImageRequest, 'fit' | 'format'> & { readonly fit?: string; readonly format?: string }

const HEADERS: readonly HeaderName[] = ['ETag', 'Cache-Control', 'Vary']

const BYTES: JsonSchema = { type: 'string', contentMediaType: 'application/octet-stream' }

/** Nothing asked of the asset itself. */
const WHOLE_ASSET = new Query({}, new Faults())

/** Answers an asset's picture in another size or format, to those who may read the asset. */
export function imageRoute({ engine, images, ...policy }: ReadPolicy & AssetParts, assets: CollectionModel): Route {
  return defineRoute({
    method: 'GET',
    path: '/api/assets/:id/image',
    pathParameters: {
      id: { description: 'The id of the asset.', schema: { type: 'string', format: 'uuid' }, example: EXAMPLE_ID },
    },
    operationId: 'getAssetImage',
    resource: assets,
    protection: 'public',
    summary: 'Makes a picture of a picture: smaller, cut, or in another format.',
    parameters: imageParameters(images.rules),
    conditions: ['ifMatch', 'ifNoneMatch', 'minSeq'],
    answers: [
      { status: 200, description: 'The picture.', mediaType: 'image/*', schema: BYTES, headers: HEADERS },
      { status: 304, description: 'What the client has is still right.', headers: HEADERS },
    ],
    errors: [...READ_ERRORS, 'NOT_IMPLEMENTED'],
    run: async ({ access, conditions, path, query, request }) => {
      const asset = await readEntry(
        engine.sourceFor(access, conditions.minSeq),
        access,
        assets,
        path.id ?? '',
        WHOLE_ASSET,
      )
      const accept = request.headers.get('accept') ?? undefined
      const variant = images.plan(toSource(await asset.read()), query.values as ImageRequest, accept)
      const { headers } = readReply(policy, access, variant.etag, undefined, asset.surrogateKeys)
      const all = { ...headers, Vary: variant.variesByAccept ? `${VARY}, Accept` : VARY }
      if (isKnown(conditions, variant.etag)) return { status: 304, headers: all }
      const { content } = await images.read(variant)
      return {
        status: 200,
        content: Readable.toWeb(content) as ReadableStream<Uint8Array>,
        headers: { ...all, 'Content-Type': variant.type },
      }
    },
  })
}

/** With a secret, a signature allows what the lists do not have, and the parameters say so. */
function imageParameters({ widths, qualities, secret }: ImageRules): ParametersOf<ImageQuery> {
  const isSigned = secret !== undefined
  const limited = (description: string, allowed: readonly number[], maximum: number): Parameter<number> => {
    const schema: JsonSchema = isSigned ? { type: 'integer', minimum: 1, maximum } : { type: 'integer', enum: allowed }
    return { ...countParameter(description), schema }
  }
  const side = { type: 'integer', minimum: 1, maximum: MAX_SIDE } as const
  return {
    w: limited('The largest width, in pixels.', widths, MAX_SIDE),
    h: {
      ...countParameter('The largest height, in pixels: without a signature, one that is equal to w.'),
      schema: side,
    },
    fit: choice('How the picture fills w and h; cover is the default.', IMAGE_FITS),
    format: choice('auto, the default, is the smallest that `Accept` names.', ['auto', ...IMAGE_FORMATS]),
    q: limited('The quality.', qualities, 100),
    ...(isSigned ? { signature: textParameter('Allows these parameters of this asset.', SIGNATURE) } : {}),
  }
}

/** HMAC-SHA-256 in base64url. */
const SIGNATURE = { minLength: 43, maxLength: 43 }

/** The picture of an asset as it is answered. */
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
