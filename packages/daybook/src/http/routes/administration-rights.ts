import { type Administration, isOperator } from '../../auth/administration.ts'
import type { JsonSchema } from '../../fields/field.ts'
import { NO_PARAMETERS } from '../../query/parameters.ts'
import { COMMON_ERRORS, defineRoute, type Route } from '../contract.ts'
import { describeResponse, toJsonResponse } from './administration.ts'
import { objectSchema } from './schemas.ts'

/** The facts of a config that operators may see: no secrets, no addresses. */
export interface ServiceSettings {
  readonly version: string
  readonly database: 'sqlite' | 'other'
  readonly storage: 'folder' | 'other'
  readonly locales: readonly string[]
  readonly plugins: readonly string[]
  /** The provider of the auth adapter. */
  readonly provider: string
  readonly actions: readonly string[]
  /** `null`: no limit. */
  readonly retention: { readonly versions: number | null; readonly days: number | null }
}

export interface AdministrationRightsParts {
  /** `undefined` if accounts are not in the database of the service. */
  readonly administration: Administration | undefined
  readonly settings: ServiceSettings
}

const TEXT: JsonSchema = { type: 'string' }
const TEXTS: JsonSchema = { type: 'array', items: TEXT }
const FLAG: JsonSchema = { type: 'boolean' }
const COUNT_OR_NULL: JsonSchema = { type: ['integer', 'null'], description: '`null`: no limit.' }

const SETTINGS: JsonSchema = objectSchema({
  version: TEXT,
  database: { enum: ['sqlite', 'other'], description: '`sqlite`, or the database that the config names.' },
  storage: { enum: ['folder', 'other'], description: 'The data folder, or the store that the config names.' },
  locales: TEXTS,
  plugins: TEXTS,
  provider: { ...TEXT, description: 'The provider of the auth adapter.' },
  actions: { ...TEXTS, description: 'The actions of the auth adapter, such as `login`.' },
  retention: objectSchema({ versions: COUNT_OR_NULL, days: COUNT_OR_NULL }),
})

const RIGHTS: JsonSchema = objectSchema(
  {
    accounts: { ...FLAG, description: 'True if the caller may manage accounts, invitations and tokens.' },
    audit: { ...FLAG, description: 'True if the caller operates the service, and reads its journal for that.' },
  },
  { settings: { ...SETTINGS, description: 'For operators of the service.' } },
)

/** The route by which a page for administrators finds out what to offer. */
export const administrationRightsRoutes = ({
  administration,
  settings,
}: AdministrationRightsParts): readonly Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/cms/administration',
    operationId: 'getAdministration',
    protection: 'session',
    summary: 'Returns what the caller may administer, and for operators the settings of the service.',
    parameters: NO_PARAMETERS,
    requestHeaders: [],
    responses: [describeResponse(200, 'The rights, and the settings without secrets.', RIGHTS, 'administration')],
    errors: [...COMMON_ERRORS, 'UNAUTHORIZED'],
    run: async ({ access: { caller } }) => {
      const operates = isOperator(caller)
      return toJsonResponse(200, {
        accounts: administration?.canAdminister(caller) ?? false,
        audit: operates,
        ...(operates ? { settings } : {}),
      })
    },
  }),
]
