import { DaybookError, type PluginRoute } from '../../index.ts'
import { DEFAULT_EXPIRY, MAX_EXPIRY, signUpload } from './signature.ts'

/** The route that gives out signed addresses, to those who may read the asset. */
export function addressRoute(base: string, secret: string): PluginRoute {
  return {
    method: 'POST',
    path: '/api/assets/:id/url',
    operationId: 'signAssetUrl',
    summary: 'Makes an address that shows the file of an asset to everyone who has it, for a while.',
    protection: 'session',
    pathParameters: { id: { description: 'The id of the asset.', schema: { type: 'string', format: 'uuid' } } },
    body: {
      schema: {
        type: 'object',
        properties: {
          expiresIn: {
            type: 'integer',
            minimum: 1,
            maximum: MAX_EXPIRY,
            default: DEFAULT_EXPIRY,
            description: 'How long it holds, in seconds.',
          },
        },
        additionalProperties: false,
      },
    },
    answers: {
      200: {
        description: 'The address, without scheme and host, and when it ends.',
        schema: {
          type: 'object',
          properties: { url: { type: 'string' }, expiresAt: { type: 'string', format: 'date-time' } },
          required: ['url', 'expiresAt'],
        },
      },
    },
    async run({ path: { id = '' }, body, content }) {
      const asset = await content.get('assets', id)
      if (!asset) throw new DaybookError('NOT_FOUND')
      const { expiresIn = DEFAULT_EXPIRY } = body as { readonly expiresIn?: number }
      return Response.json(signUpload(secret, String(asset.path), { expiresIn, base }))
    },
  }
}
