import type { JsonSchema } from '../../fields/field.ts'
import { NO_PARAMETERS } from '../../query/parameters.ts'
import { COMMON_ERRORS, defineReadRoute, describeReadResponses, type Route } from '../contract.ts'
import type { OpenApi } from '../openapi/openapi.ts'
import { toLazyResponse } from '../text-cache.ts'

export interface OpenApiRouteParts {
  /** Called after all routes are built, since the document describes them. */
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

export function openApiRoutes({ openApi }: OpenApiRouteParts): readonly Route[] {
  return [
    defineReadRoute({
      method: 'GET',
      path: '/openapi.json',
      operationId: 'getOpenApi',
      protection: 'public',
      summary: 'Returns the OpenAPI document.',
      parameters: NO_PARAMETERS,
      requestHeaders: ['ifMatch', 'ifNoneMatch'],
      responses: describeReadResponses('The OpenAPI 3.1 document for this caller.', DOCUMENT),
      errors: [...COMMON_ERRORS, 'PRECONDITION_FAILED'],
      prepare: () => openApi().prepare(),
      read: async ({ access }) => toLazyResponse(await openApi().for(access)),
    }),
  ]
}
