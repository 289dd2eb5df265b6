import type { Page, Route } from 'playwright-core'
import { isShown, signIn } from '../../packages/studio/test/support/people.ts'
import type { Scene } from './museum-visit.ts'

/** Brings a page into a state. Its routes are removed afterwards. */
type Prepare = (scene: Scene) => Promise<void>

const json = (body: object, status = 200) => ({ status, contentType: 'application/json', body: JSON.stringify(body) })

const FAULT = json({ code: 'INTERNAL_ERROR', message: 'A fault.', details: {}, requestId: '01jqw8r0fault' }, 500)

const fail = (route: Route): Promise<void> => route.fulfill(FAULT)

const openStories: Prepare = async ({ page, go }) => {
  await go('/c/stories?columns=status,kind,minutes,author,updatedAt', 'Stories')
  await page.getByText('13 entries').waitFor()
}

const openPalette = async ({ page, go }: Scene, text: string): Promise<void> => {
  await go('', 'Overview')
  await page.keyboard.press('ControlOrMeta+k')
  await page.getByRole('option').first().waitFor()
  await page.keyboard.type(text)
}

const chooseThree = async (page: Page): Promise<void> => {
  for (const title of ['The night shift', 'The smell of a library', 'Marbled paper'])
    await page.getByRole('checkbox', { name: `Select ${title}` }).check()
}

const ACCOUNTS = [
  { id: '1', name: 'Inés Prado', email: 'ines@example.org', role: 'admin', banned: false },
  { id: '2', name: 'Tomasz Zając', email: 'tomasz@example.org', role: 'editor,author', banned: null },
  { id: '3', name: 'A person with a rather long name', email: 'somebody@example.org', role: 'author', banned: true },
].map((webhook) => ({ ...webhook, createdAt: '2026-10-20T09:00:00.000Z' }))

const openAccounts: Prepare = async ({ page, go }) => {
  await page.route(/list-users/, (route) => route.fulfill(json({ users: ACCOUNTS, total: 3 })))
  await go('/accounts', 'Accounts')
  await page.getByText('tomasz@example.org').waitFor()
}

const DELIVERY = {
  action: 'update',
  collection: 'stories',
  attempts: 5,
  failedAt: '2026-11-20T09:00:00.000Z',
  dueAt: '2026-11-20T10:00:00.000Z',
  reason: 'answered 500',
}

const openWebhooks: Prepare = async ({ page, go }) => {
  const endpoint = { origin: 'https://www.museum.example', seq: 118, head: 120 }
  const items = [
    { ...endpoint, name: 'site', pending: 1, parked: 2 },
    { ...endpoint, name: 'search', seq: 120, pending: 0, parked: 0 },
  ]
  await page.route(/cms\/webhooks$/, (route) => route.fulfill(json({ items })))
  await page.route(/deliveries\?state=parked/, (route) =>
    route.fulfill(json({ items: [114, 115].map((seq) => ({ ...DELIVERY, seq })) })),
  )
  await page.route(/deliveries\?state=pending/, (route) =>
    route.fulfill(json({ items: [{ ...DELIVERY, seq: 117, attempts: 1 }] })),
  )
  await go('/webhooks', 'Webhooks')
  await page
    .getByText('118', { exact: false })
    .or(page.getByText('114', { exact: false }))
    .first()
    .waitFor()
}

/** Every state of the pages around the editor, in the order of the pictures. */
export const GALLERY: Readonly<Record<string, Prepare>> = {
  'sign-in': ({ page }) => isShown(page, 'Sign in'),
  'sign-in-wrong': async ({ page }) => {
    await signIn(page, { email: 'nobody@example.org', password: 'not the one' })
    await page.getByRole('alert').waitFor()
  },
  'sign-in-register': async ({ page }) => {
    await page.getByRole('button', { name: 'No account yet? Create one' }).click()
    await page.getByLabel('Name').waitFor()
  },
  overview: async ({ page, visit }) => {
    await page.goto(`${visit.url}/studio`)
    await signIn(page)
    await isShown(page, 'Overview')
    await page.getByRole('heading', { name: 'Scheduled' }).waitFor()
  },
  'account-menu': async ({ page }) => {
    await page.getByRole('button', { name: 'Inés' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).waitFor()
  },
  list: openStories,
  'list-filtered': async ({ page, go }) => {
    const where = JSON.stringify({ minutes: { gte: 4 }, or: [{ status: { eq: 'draft' } }, { kind: { eq: 'essay' } }] })
    await go(`/c/stories?where=${encodeURIComponent(where)}`, 'Stories')
    await page.getByText('Status is Draft or', { exact: false }).waitFor()
  },
  'list-none-found': async ({ page, go }) => {
    await go('/c/stories?q=nothing%20like%20it', 'Stories')
    await page.getByText('Nothing found').waitFor()
  },
  'list-empty': async ({ page, go }) => {
    await page.route(/api\/exhibitions\?/, (route) =>
      route.fulfill(json({ collection: 'exhibitions', total: 0, limit: 50, offset: 0, items: [], nextCursor: null })),
    )
    await go('/c/exhibitions', 'Exhibitions')
    await page.getByText('No entries yet').waitFor()
  },
  'list-loading': async ({ page, go }) => {
    await page.route(/api\/stories\?/, () => undefined)
    await go('/c/stories', 'Stories')
  },
  'list-error': async ({ page, go }) => {
    await page.route(/api\/stories\?/, fail)
    await go('/c/stories', 'Stories')
    await page.getByText('The list cannot be displayed').waitFor()
  },
  'list-columns': async (scene) => {
    await openStories(scene)
    await scene.page.getByRole('button', { name: 'Columns' }).click()
    await scene.page.getByRole('dialog', { name: 'Columns' }).waitFor()
  },
  'list-filter': async (scene) => {
    const { page } = scene
    await openStories(scene)
    await page.getByRole('button', { name: 'Filter' }).click()
    const sheet = page.getByRole('dialog', { name: 'Filter' })
    await sheet.getByRole('button', { name: 'Add condition' }).click()
    await sheet.getByRole('button', { name: 'Add group' }).click()
    const group = sheet.getByRole('group', { name: 'Group of conditions' }).last()
    await group.getByRole('combobox', { name: 'Field' }).selectOption('author')
  },
  'list-views': async (scene) => {
    await openStories(scene)
    await scene.page
      .getByRole('button', { name: 'Views' })
      .or(scene.page.getByRole('button', { name: 'All entries' }))
      .click()
    await scene.page.getByRole('menuitem', { name: 'Save view' }).waitFor()
  },
  'list-save-view': async ({ page }) => {
    await page.getByRole('menuitem', { name: 'Save view' }).click()
    await page.getByLabel('Name').waitFor()
  },
  'list-selected': async (scene) => {
    await openStories(scene)
    await chooseThree(scene.page)
  },
  'bulk-refused': async ({ page }) => {
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await page.getByText('entry cannot be changed', { exact: false }).waitFor()
  },
  'bulk-set': async (scene) => {
    await openStories(scene)
    await chooseThree(scene.page)
    await scene.page.getByRole('button', { name: 'Set a field' }).click()
    await scene.page.getByRole('dialog', { name: 'Set a field' }).waitFor()
  },
  files: async ({ page, go }) => {
    await go('/assets', 'Files')
    await page.getByText('6 files').waitFor()
  },
  'files-list': async ({ page }) => {
    await page
      .getByRole('button', { name: 'Show as list' })
      .or(page.getByRole('radio', { name: 'Show as list' }))
      .click()
  },
  'files-chosen': async ({ page, go }) => {
    await go('/assets', 'Files')
    await page.getByText('6 files').waitFor()
    await page.getByRole('checkbox').first().check({ force: true })
    await page.getByRole('button', { name: 'Delete' }).waitFor()
  },
  'files-none-found': async ({ page, go }) => {
    await go('/assets?q=nothing%20like%20it', 'Files')
    await page.getByText('Nothing found').waitFor()
  },
  file: async ({ page, go }) => {
    await go('/assets', 'Files')
    await page.getByRole('link', { name: 'ink-bottle.webp' }).click()
    await page.getByLabel('Alt text (English)').waitFor()
  },
  accounts: openAccounts,
  'accounts-create': async ({ page }) => {
    await page.getByRole('button', { name: 'Create an account' }).click()
    await page.getByRole('dialog').waitFor()
  },
  'accounts-refused': async ({ page, go }) => {
    await go('/accounts', 'Accounts')
    await page.getByText('You are not allowed to do this.').waitFor()
  },
  webhooks: openWebhooks,
  palette: async (scene) => {
    await openPalette(scene, '')
  },
  'palette-found': async (scene) => {
    await openPalette(scene, 'paper')
    await scene.page.getByRole('option', { name: 'Marbled paper' }).waitFor()
  },
  'palette-none': async (scene) => {
    await openPalette(scene, 'xyzzy')
    await scene.page.getByText('Nothing found.').waitFor()
  },
  shortcuts: async ({ page, go }) => {
    await go('/c/stories', 'Stories')
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  },
  missing: ({ go }) => go('/nothing/here', 'Page not found'),
  broken: async ({ page, visit }) => {
    await page.route(/cms\/model/, fail)
    await page.goto(`${visit.url}/studio/c/stories`)
    await page.getByText('This page cannot be displayed').waitFor()
  },
  away: async (scene) => {
    const { page } = scene
    await openStories(scene)
    await page.route(/\/api\//, (route) => route.abort())
    await page.getByRole('button', { name: /^Draft/ }).click()
    await page.getByText('The service does not respond.', { exact: false }).first().waitFor()
  },
}
