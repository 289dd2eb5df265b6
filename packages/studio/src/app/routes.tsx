import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { readAuditSearch } from './administration/audit-search.ts'
import { readLibrarySearch } from './assets/media/asset-search.ts'
import { readListSearch } from './lists/list-search.ts'
import { ErrorPage, NotFoundPage } from './shell/page.tsx'
import { Shell } from './shell/shell.tsx'

const DOCUMENT_KEYS = [
  // The name of an unstored entry in this browser, so that a reopened tab finds it.
  'copy',
  // The first title of a new entry.
  'title',
  'locale',
  // `source` shows the source of a translation beside each field.
  'beside',
  // The dotted path of the field to focus, such as `parts.0.title`.
  'field',
  // `beside` shows the page of the site beside the form.
  'preview',
] as const

type DocumentSearch = { readonly [key in (typeof DOCUMENT_KEYS)[number]]?: string | undefined } & {
  /** The number of the chosen tab of the form. @default 1 */
  readonly tab?: number | undefined
}

/** Reads the search parameters of a document, without invalid ones. */
function readDocumentSearch(search: Readonly<Record<string, unknown>>): DocumentSearch {
  const texts = DOCUMENT_KEYS.flatMap((key) => {
    const value = search[key]
    return typeof value === 'string' && value !== '' ? [[key, value]] : []
  })
  const tab = Number(search.tab)
  return { ...Object.fromEntries(texts), ...(Number.isSafeInteger(tab) && tab > 1 ? { tab } : {}) }
}

interface HistorySearch {
  /** The revision of the shown version. @default the newest */
  readonly version?: number | undefined
  /** The revision to compare with. @default the one before */
  readonly against?: number | undefined
  readonly locale?: string | undefined
}

const isRevision = (value: unknown): boolean => Number.isSafeInteger(Number(value)) && Number(value) > 0

/** Reads the search parameters of a history, without invalid ones. */
const readHistorySearch = ({ version, against, locale }: Readonly<Record<string, unknown>>): HistorySearch => ({
  ...(isRevision(version) ? { version: Number(version) } : {}),
  ...(isRevision(against) ? { against: Number(against) } : {}),
  ...(typeof locale === 'string' && locale !== '' ? { locale } : {}),
})

const root = createRootRoute({ component: Shell, notFoundComponent: () => <NotFoundPage /> })

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

const trash = createRoute({
  getParentRoute: () => root,
  path: '/c/$collection/trash',
  component: lazyRouteComponent(() => import('./lists/trash-page.tsx'), 'TrashPage'),
})

const entry = createRoute({
  getParentRoute: () => root,
  path: '/c/$collection/$id',
  validateSearch: readDocumentSearch,
  component: lazyRouteComponent(() => import('./editor/entry-page.tsx'), 'EntryPage'),
})

const entryHistory = createRoute({
  getParentRoute: () => root,
  path: '/c/$collection/$id/history',
  validateSearch: readHistorySearch,
  component: lazyRouteComponent(() => import('./editor/history/history-page.tsx'), 'EntryHistoryPage'),
})

const globalHistory = createRoute({
  getParentRoute: () => root,
  path: '/g/$global/history',
  validateSearch: readHistorySearch,
  component: lazyRouteComponent(() => import('./editor/history/history-page.tsx'), 'GlobalHistoryPage'),
})

const goToField = createRoute({
  getParentRoute: () => root,
  path: '/go/edit/$collection/$id',
  validateSearch: readDocumentSearch,
  component: lazyRouteComponent(() => import('./editor/deep-link-page.tsx'), 'DeepLinkPage'),
})

const global = createRoute({
  getParentRoute: () => root,
  path: '/g/$global',
  validateSearch: readDocumentSearch,
  component: lazyRouteComponent(() => import('./editor/global-page.tsx'), 'GlobalPage'),
})

const assets = createRoute({
  getParentRoute: () => root,
  path: '/assets',
  validateSearch: readLibrarySearch,
  component: lazyRouteComponent(() => import('./assets/library/library-page.tsx'), 'LibraryPage'),
})

const assetTrash = createRoute({
  getParentRoute: () => root,
  path: '/assets/trash',
  component: lazyRouteComponent(() => import('./lists/trash-page.tsx'), 'FileTrashPage'),
})

const asset = createRoute({
  getParentRoute: () => root,
  path: '/assets/$id',
  component: lazyRouteComponent(() => import('./assets/details/asset-page.tsx'), 'AssetPage'),
})

/** The collection of files has its own pages. */
const assetList = createRoute({
  getParentRoute: () => root,
  path: '/c/assets',
  beforeLoad: () => {
    throw redirect({ to: '/assets', replace: true })
  },
})

const assetEntry = createRoute({
  getParentRoute: () => root,
  path: '/c/assets/$id',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/assets/$id', params, replace: true })
  },
})

const accounts = createRoute({
  getParentRoute: () => root,
  path: '/accounts',
  component: lazyRouteComponent(() => import('./accounts/accounts-page.tsx'), 'AccountsPage'),
})

const tokens = createRoute({
  getParentRoute: () => root,
  path: '/tokens',
  component: lazyRouteComponent(() => import('./accounts/tokens-page.tsx'), 'TokensPage'),
})

const webhooks = createRoute({
  getParentRoute: () => root,
  path: '/webhooks',
  component: lazyRouteComponent(() => import('./webhooks/webhooks-page.tsx'), 'WebhooksPage'),
})

const roles = createRoute({
  getParentRoute: () => root,
  path: '/roles',
  component: lazyRouteComponent(() => import('./accounts/roles-page.tsx'), 'RolesPage'),
})

const profile = createRoute({
  getParentRoute: () => root,
  path: '/profile',
  component: lazyRouteComponent(() => import('./accounts/profile-page.tsx'), 'ProfilePage'),
})

const audit = createRoute({
  getParentRoute: () => root,
  path: '/audit',
  validateSearch: readAuditSearch,
  component: lazyRouteComponent(() => import('./administration/audit-page.tsx'), 'AuditPage'),
})

const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  component: lazyRouteComponent(() => import('./administration/settings-page.tsx'), 'SettingsPage'),
})

const service = [accounts, roles, tokens, webhooks, audit, settings, profile] as const

const files = [assets, assetTrash, asset, assetList, assetEntry] as const

const tree = root.addChildren([
  overview,
  list,
  trash,
  entry,
  entryHistory,
  global,
  globalHistory,
  goToField,
  ...files,
  ...service,
])

/** Makes the router. @param basepath the path of the Studio */
export const makeRouter = (basepath: string) =>
  createRouter({
    routeTree: tree,
    basepath,
    defaultPreload: 'intent',
    scrollToTopSelectors: ['main'],
    defaultErrorComponent: ({ error, reset }) => <ErrorPage error={error} onRetry={reset} />,
  })

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof makeRouter>
  }
}
