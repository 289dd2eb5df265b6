import type { JsonSchema } from '../../fields/field.ts'
import { NO_PARAMETERS } from '../../query/parameters.ts'
import { COMMON_ERRORS, defineReadRoute, describeReadResponses, type Route } from '../contract.ts'
import type { OpenApi } from '../openapi/openapi.ts'
import { toLazyResponse } from '../text-cache.ts'

/** What the route of the OpenAPI document needs. */
export interface OpenApiRouteParts {
  /** Once all routes are there. */
  openApi(): OpenApi
}

const DOCUMENT: JsonSchema = {
  type: 'object',
  properties: {
    openapi: { const: '3.1.0' },
    info: { type: 'object' },
    paths: { type: 'object' },
    components: { type: 'object' },
  },
  required: ['openapi', 'info', 'paths', 'components'],
}

/** The description of all routes, as far as the reader may know them. */
export function openApiRoutes({ openApi }: OpenApiRouteParts): readonly Route[] {
  return [
    defineReadRoute({
      method: 'GET',
      path: '/openapi.json',
      operationId: 'getOpenApi',
      protection: 'public',
      summary: 'Describes every route.',
      parameters: NO_PARAMETERS,
      requestHeaders: ['ifMatch', 'ifNoneMatch'],
      responses: describeReadResponses('The OpenAPI 3.1 document, for this reader.', DOCUMENT),
      errors: [...COMMON_ERRORS, 'PRECONDITION_FAILED'],
      prepare: () => openApi().prepare(),
      read: async ({ access }) => toLazyResponse(await openApi().for(access)),
    }),
  ]
}
