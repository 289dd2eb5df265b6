import type { ExportStreams } from '../../content/transfer/index.ts'
import type { Route } from '../contract.ts'
import { OpenApi } from '../openapi/openapi.ts'
import { type AdministrationRouteParts, administrationRoutes } from './administration.ts'
import { type AdministrationRightsParts, administrationRightsRoutes } from './administration-rights.ts'
import { type AuthParts, authRoutes } from './auth.ts'
import { type BatchParts, batchRoutes } from './batch.ts'
import { type ChangesParts, changesRoutes } from './changes.ts'
import { type CrossCollectionParts, crossCollectionRoutes } from './cross-collection.ts'
import { type DocsParts, docsRoutes } from './docs.ts'
import { type EntryParts, entryRoutes } from './entries.ts'
import { exportRoutes } from './export.ts'
import { type GlobalParts, globalRoutes } from './globals.ts'
import { type HealthParts, healthRoutes } from './health.ts'
import { type MetricsRouteParts, metricsRoutes } from './metrics.ts'
import { modelRoutes } from './model.ts'
import { openApiRoutes } from './openapi.ts'
import { type PresenceParts, presenceRoutes } from './presence.ts'
import { undoRoutes } from './undo.ts'

export interface RouteParts
  extends HealthParts,
    EntryParts,
    GlobalParts,
    BatchParts,
    ChangesParts,
    PresenceParts,
    CrossCollectionParts,
    AuthParts,
    AdministrationRouteParts,
    AdministrationRightsParts,
    MetricsRouteParts,
    DocsParts {
  /** `undefined` if the export is disabled. */
  readonly streams: ExportStreams | undefined
  /** Returns the routes of plugins. @throws {ConfigError} if one conflicts with a route of the service */
  pluginRoutes(serviceRoutes: readonly Route[]): readonly Route[]
}

/** Builds all routes of a service, in the order of the docs. */
export function allRoutes(parts: RouteParts): readonly Route[] {
  const { streams } = parts
  const api: readonly Route[] = [
    ...healthRoutes(parts),
    ...metricsRoutes(parts),
    ...globalRoutes(parts),
    ...batchRoutes(parts),
    ...changesRoutes(parts),
    ...undoRoutes(parts),
    ...entryRoutes(parts),
    ...crossCollectionRoutes(parts),
    ...presenceRoutes(parts),
    ...authRoutes(parts),
    ...administrationRightsRoutes(parts),
    ...administrationRoutes(parts),
    ...modelRoutes(parts),
    ...(streams ? exportRoutes({ streams }) : []),
    ...openApiRoutes({ ...parts, openApi: () => openApi }),
  ]
  const serviceRoutes = [...api, ...docsRoutes(parts)]
  const contributed = parts.pluginRoutes(serviceRoutes)
  const { sessionCookie = 'session' } = parts.auth.capabilities
  // Pages are not part of the API.
  const openApi = new OpenApi({ model: parts.model, routes: [...api, ...contributed], sessionCookie })
  return [...serviceRoutes, ...contributed]
}
