import type { Administration } from '../../../auth/administration/administration.ts'
import type { JsonSchema } from '../../../fields/field.ts'
import { jsonBody } from '../../body.ts'
import { defineRoute, type Route } from '../../contract.ts'
import { objectSchema } from '../schemas.ts'
import {
  administratorRoute,
  answer,
  CREATE_ERRORS,
  DELETE_ERRORS,
  gone,
  goneReply,
  idOf,
  LIST_ERRORS,
  reply,
} from './administrator-route.ts'
import { DAYS, ROLES } from './grant-schemas.ts'

const PATH = '/api/cms/auth/tokens'

const TIME_OR_NULL: JsonSchema = { type: ['string', 'null'], format: 'date-time' }
const TEXTS: JsonSchema = { type: 'array', items: { type: 'string' } }

const TOLD = {
  id: { type: 'string' },
  name: { type: 'string' },
  prefix: { type: 'string', description: 'How the token begins.' },
  scopes: TEXTS,
  roles: TEXTS,
  createdAt: { type: 'string', format: 'date-time' },
  expiresAt: { ...TIME_OR_NULL, description: '`null`: it does not expire.' },
  lastUsedAt: { ...TIME_OR_NULL, description: 'To the minute; `null`: never.' },
} as const

const TOKENS: JsonSchema = objectSchema({ items: { type: 'array', items: objectSchema(TOLD) } })
const MADE_TOKEN: JsonSchema = objectSchema({ ...TOLD, token: { type: 'string', description: 'The credential.' } })

const NEW_TOKEN: JsonSchema = {
  ...objectSchema(
    {
      name: { type: 'string', minLength: 1, maxLength: 100, pattern: '\\S' },
      scopes: {
        type: 'array',
        items: { type: 'string' },
        minItems: 1,
        maxItems: 200,
        examples: [['*:read']],
        description: 'What it is for: `posts:update`, `posts:*`, `*:read`, `globals.site:update`, `export` or `*`.',
      },
    },
    { roles: { ...ROLES, default: ['service'] }, days: DAYS },
  ),
  additionalProperties: false,
}

/** Tokens of programs. */
export function tokenRoutes(administration: Administration): readonly Route[] {
  const common = administratorRoute(administration)
  return [
    defineRoute({
      ...common,
      method: 'GET',
      path: PATH,
      operationId: 'listTokens',
      summary: 'Lists the tokens of programs, to administrators.',
      answers: [answer(200, 'The tokens, without their secrets, the newest first.', TOKENS, 'tokens')],
      errors: LIST_ERRORS,
      run: async () => reply(200, { items: await administration.tokens() }),
    }),
    defineRoute({
      ...common,
      method: 'POST',
      path: PATH,
      operationId: 'createToken',
      summary: 'Makes a token for a program; for administrators.',
      body: jsonBody('Its name, what it is for, and for how many days; by default until it is revoked.', NEW_TOKEN),
      answers: [answer(201, 'The token. It is shown once.', MADE_TOKEN, 'madeToken')],
      errors: CREATE_ERRORS,
      run: async ({ body }) => reply(201, await administration.createToken(body)),
    }),
    defineRoute({
      ...common,
      method: 'DELETE',
      path: `${PATH}/:id`,
      pathParameters: idOf('token', '420e3f0d3ac6'),
      operationId: 'revokeToken',
      summary: 'Revokes a token of a program; for administrators.',
      answers: [gone('It is worth nothing any more.')],
      errors: DELETE_ERRORS,
      run: async ({ path }) => {
        await administration.revokeToken(path.id ?? '')
        return goneReply()
      },
    }),
  ]
}
