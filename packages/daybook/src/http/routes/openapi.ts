import type { JsonSchema } from '../../fields/field.ts'
import { NO_PARAMETERS } from '../../query/parameters.ts'
import { toResponse } from '../answers/reader-texts.ts'
import { defineReadRoute, PLAIN_ERRORS, type Route, readAnswers } from '../contract.ts'
import type { OpenApi } from '../openapi/openapi.ts'

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
      conditions: ['ifMatch', 'ifNoneMatch'],
      answers: readAnswers('The OpenAPI 3.1 document, for this reader.', DOCUMENT),
      errors: [...PLAIN_ERRORS, 'PRECONDITION_FAILED'],
      prepare: () => openApi().prepare(),
      read: async ({ access }) => toResponse(await openApi().for(access)),
    }),
  ]
}
