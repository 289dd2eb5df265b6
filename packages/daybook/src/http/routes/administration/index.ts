import type { Administration } from '../../../auth/administration/administration.ts'
import type { Engine } from '../../../content/engine.ts'
import type { Route } from '../../contract.ts'
import { invitationRoutes } from './invitations.ts'
import { outstandingRoutes } from './outstanding.ts'
import { tokenRoutes } from './tokens.ts'

/** The parts that the routes of administrators need. */
export interface AdministrationRouteParts {
  /** Where accounts are in the service's own database. */
  readonly administration: Administration | undefined
  readonly engine: Engine
}

/** What administrators do, where accounts are in the service's own database. */
export function administrationRoutes({ administration, engine }: AdministrationRouteParts): readonly Route[] {
  if (!administration) return []
  return [
    ...invitationRoutes(administration),
    ...tokenRoutes(administration),
    ...outstandingRoutes(administration, engine),
  ]
}
