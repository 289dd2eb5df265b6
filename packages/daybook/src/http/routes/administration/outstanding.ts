import type { Administration } from '../../../auth/administration/administration.ts'
import { listOutstanding } from '../../../content/drafts/index.ts'
import type { Engine } from '../../../content/engine.ts'
import type { JsonSchema } from '../../../fields/field.ts'
import { textParameter } from '../../../query/parameters.ts'
import { defineRoute, type Route } from '../../contract.ts'
import { EXAMPLE_ID, objectSchema } from '../schemas.ts'
import { administratorRoute, answer, LIST_ERRORS, reply } from './administrator-route.ts'

const TEXT: JsonSchema = { type: 'string' }
const TIME: JsonSchema = { type: 'string', format: 'date-time' }
const COUNT: JsonSchema = { type: 'integer', minimum: 0 }
const listOf = (properties: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  type: 'array',
  items: objectSchema({ collection: TEXT, id: TEXT, ...properties }),
})

const OUTSTANDING: JsonSchema = objectSchema({
  previews: listOf({ expiresAt: TIME }),
  schedules: listOf({ action: { enum: ['publish', 'unpublish'] }, at: TIME }),
  totals: objectSchema({ previews: COUNT, schedules: COUNT }),
})

/** What goes on in somebody's name without them. */
export function outstandingRoutes(administration: Administration, engine: Engine): readonly Route[] {
  return [
    defineRoute({
      ...administratorRoute(administration),
      method: 'GET',
      path: '/api/cms/auth/outstanding',
      operationId: 'listOutstanding',
      summary: 'Lists the previews and the scheduled times of an account or a token, to administrators.',
      parameters: {
        subject: {
          ...textParameter('The subject of the account or the token.', { minLength: 1, examples: [EXAMPLE_ID] }),
          isRequired: true,
        },
      },
      answers: [
        answer(
          200,
          'The previews that end last first, the soonest times first: at most 100 of each.',
          OUTSTANDING,
          'outstanding',
        ),
      ],
      errors: LIST_ERRORS,
      run: async ({ query }) => reply(200, await listOutstanding(engine.store, query.values.subject ?? '')),
    }),
  ]
}
