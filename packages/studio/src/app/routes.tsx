import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import { readListSearch } from './lists/list-search.ts'
import { BrokenPage } from './shell/broken-page.tsx'
import { MissingPage } from './shell/missing-page.tsx'
import { Shell } from './shell/shell.tsx'

const root = createRootRoute({ component: Shell, notFoundComponent: () => <MissingPage /> })

const overview = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: lazyRouteComponent(() => import('./overview/overview-page.tsx'), 'OverviewPage'),
})

const list = createRoute({
  getParentRoute: () => root,
  path: '/c/$collection',
  validateSearch: readListSearch,
  component: lazyRouteComponent(() => import('./lists/list-page.tsx'), 'ListPage'),
})

const entry = createRoute({
  getParentRoute: () => root,
  path: '/c/$collection/$id',
  component: lazyRouteComponent(() => import('./editor/entry-page.tsx'), 'EntryPage'),
})

const global = createRoute({
  getParentRoute: () => root,
  path: '/g/$global',
  component: lazyRouteComponent(() => import('./editor/global-page.tsx'), 'GlobalPage'),
})

const tree = root.addChildren([overview, list, entry, global])

/**
 * The router of the Studio.
 *
 * @param basepath where the Studio is
 */
export const makeRouter = (basepath: string) =>
  createRouter({
    routeTree: tree,
    basepath,
    defaultPreload: 'intent',
    scrollToTopSelectors: ['main'],
    defaultErrorComponent: ({ error, reset }) => <BrokenPage error={error} onRetry={reset} />,
  })

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof makeRouter>
  }
}
