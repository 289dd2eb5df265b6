import type { Administration } from '../../../auth/administration/administration.ts'
import type { Route } from '../../contract.ts'
import { invitationRoutes } from './invitations.ts'
import { tokenRoutes } from './tokens.ts'

/** The parts that the routes of administrators need. */
export interface AdministrationRouteParts {
  /** Where accounts are in the service's own database. */
  readonly administration: Administration | undefined
}

/** What administrators do, where accounts are in the service's own database. */
export const administrationRoutes = ({ administration }: AdministrationRouteParts): readonly Route[] =>
  administration ? [...invitationRoutes(administration), ...tokenRoutes(administration)] : []
