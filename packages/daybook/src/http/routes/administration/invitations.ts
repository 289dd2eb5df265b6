import type { Administration } from '../../../auth/administration/administration.ts'
import type { JsonSchema } from '../../../fields/field.ts'
import { jsonBody } from '../../body.ts'
import { defineRoute, type Route } from '../../contract.ts'
import { EXAMPLE_ID, objectSchema } from '../schemas.ts'
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

const PATH = '/api/cms/auth/invitations'

const TOLD = {
  id: { type: 'string' },
  email: { type: 'string' },
  roles: { type: 'array', items: { type: 'string' } },
  expiresAt: { type: 'string', format: 'date-time' },
} as const

const INVITATION: JsonSchema = objectSchema(TOLD)
const INVITATIONS: JsonSchema = objectSchema({ items: { type: 'array', items: INVITATION } })
const MADE_INVITATION: JsonSchema = objectSchema({
  ...TOLD,
  secret: { type: 'string', description: 'What its receiver sends to register, as `invitation`.' },
})

const NEW_INVITATION: JsonSchema = {
  ...objectSchema(
    { email: { type: 'string', format: 'email', maxLength: 254 } },
    { roles: { ...ROLES, default: ['user'] }, days: { ...DAYS, default: 7 } },
  ),
  additionalProperties: false,
}

/** Invitations to make an account. */
export function invitationRoutes(administration: Administration): readonly Route[] {
  const common = administratorRoute(administration)
  return [
    defineRoute({
      ...common,
      method: 'GET',
      path: PATH,
      operationId: 'listInvitations',
      summary: 'Lists the invitations that can still be used, to administrators.',
      answers: [answer(200, 'The invitations, without their secrets.', INVITATIONS, 'invitations')],
      errors: LIST_ERRORS,
      run: async () => reply(200, { items: await administration.invitations() }),
    }),
    defineRoute({
      ...common,
      method: 'POST',
      path: PATH,
      operationId: 'createInvitation',
      summary: 'Invites somebody to make an account; for administrators, with `registration: invite`.',
      body: jsonBody('Whom, with which roles, and for how many days.', NEW_INVITATION),
      answers: [answer(201, 'The invitation. Its secret is shown once.', MADE_INVITATION, 'madeInvitation')],
      errors: CREATE_ERRORS,
      run: async ({ body }) => reply(201, await administration.invite(body)),
    }),
    defineRoute({
      ...common,
      method: 'DELETE',
      path: `${PATH}/:id`,
      pathParameters: idOf('invitation', EXAMPLE_ID),
      operationId: 'withdrawInvitation',
      summary: 'Withdraws an invitation; for administrators.',
      answers: [gone('Nobody can register by it any more.')],
      errors: DELETE_ERRORS,
      run: async ({ path }) => {
        await administration.withdrawInvitation(path.id ?? '')
        return goneReply()
      },
    }),
  ]
}
