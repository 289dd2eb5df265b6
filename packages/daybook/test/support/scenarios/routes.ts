import type { DaybookConfig } from 'daybook'
import { betterAuth } from 'daybook/better-auth'
import { createTestService } from 'daybook/testing'
import blog from '../../../../../examples/blog/daybook.config.ts'
import type { Route } from '../../../src/http/contract.ts'

/** The routes of a service with this config, export and metrics included. */
export async function routesOf(config: DaybookConfig): Promise<readonly Route[]> {
  await using service = await createTestService(config, { export: true, metrics: true })
  return service.routes
}

/** One route of each kind: one collection and one global represent all. */
export function kindsOf(routes: readonly Route[]): readonly Route[] {
  return [
    ...new Map(routes.toReversed().map((route) => [`${route.method} ${route.path}`, route])).values(),
  ].toReversed()
}

/** The example with stored accounts and an order by hand, which add the routes of administrators and of moves. */
const managed: DaybookConfig = {
  ...blog,
  collections: { ...blog.collections, authors: { ...blog.collections.authors, orderable: true } },
  auth: betterAuth({ registration: 'invite' }),
}

/** One route of every kind that Daybook has, without those of plugins and of auth providers. */
export async function apiRoutes(): Promise<readonly Route[]> {
  return kindsOf(await routesOf(managed)).filter(({ path, plugin }) => plugin === undefined && !path.endsWith('/*'))
}

/** `METHOD PATH` of every route that Daybook has. */
export async function knownRoutes(): Promise<readonly string[]> {
  return (await apiRoutes()).map(({ method, path }) => `${method} ${path}`)
}
