import {
  type AccessRule,
  type AuthAdapter,
  type AuthContext,
  defineCollection,
  defineConfig,
  f,
  type Identity,
} from 'daybook'
import type { TestService } from 'daybook/testing'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OpenBrowser, openBrowser } from '../../../client/test/support/browser.ts'
import { isEditor, ownDrafts, publishedOrOwn } from '../../../daybook/test/support/configs/configs.ts'
import { SLOW_MACHINE_LIMITS } from '../../../daybook/test/support/timeouts.ts'
import { studio } from '../../src/index.ts'
import { storeFile } from '../assets/support.ts'
import { INES, isSaved, isShown, TOMASZ } from '../support/people.ts'
import { type Visit, visitStudio } from '../support/visit.ts'

const ROLES: Readonly<Record<string, string>> = { [INES.email]: 'contributor', [TOMASZ.email]: 'editor' }

function identityOf({ headers }: AuthContext): Identity | null {
  const [, subject = ''] = /person=([^;]+)/.exec(headers.get('cookie') ?? '') ?? []
  const role = ROLES[subject]
  if (role === undefined) return null
  return {
    provider: 'list',
    subject,
    sessionId: subject,
    actorType: 'human',
    expiresAt: null,
    claims: {},
    roles: [role],
  }
}

/** An adapter whose session cookie holds the user's e-mail address. */
const auth: AuthAdapter = {
  getCapabilities: () => ({ provider: 'list', providerRoutes: { enabled: false } }),
  getPrincipal: async (context) => (identityOf(context) ? { id: identityOf(context)?.subject } : null),
  getIdentity: async (context) => identityOf(context),
  invoke: async (_action, input) =>
    Response.json({}, { status: 201, headers: { 'Set-Cookie': `person=${(input as { email: string }).email}` } }),
}

const ownOnly: AccessRule = (request) =>
  isEditor(request) || (request.identity !== null && { createdBy: { eq: request.identity.subject } })

/** The rules of `docs/guides/contributors-and-editors.md`. */
const config = defineConfig({
  auth,
  limits: SLOW_MACHINE_LIMITS,
  plugins: [studio()],
  assets: { access: { update: ownOnly, delete: ownOnly } },
  collections: {
    articles: defineCollection({
      fields: {
        title: f.text({ required: true }),
        status: f.status({ default: 'draft' }),
        rank: f.integer({ access: { write: (request) => isEditor(request) } }),
      },
      access: { read: publishedOrOwn, create: ownDrafts, update: ownDrafts, delete: ownDrafts },
    }),
  },
})

const READ_ONLY = /^You can view this entry, but not change it/

interface Article {
  readonly id: string
  readonly title: string
}

interface ArticleVisit extends Visit {
  readonly id: string
}

async function send(
  { request }: TestService,
  email: string,
  method: string,
  path: string,
  json: object,
): Promise<Article> {
  const headers = { Cookie: `person=${email}`, 'Content-Type': 'application/json' }
  const response = await request(`/api/articles${path}`, { method, headers, body: JSON.stringify(json) })
  expect(response.ok, `${method} ${path}`).toBe(true)
  return (await response.json()) as Article
}

async function moreItems(page: Page): Promise<readonly string[]> {
  await page.getByRole('button', { name: 'More' }).click()
  const items = await page.getByRole('menuitem').allTextContents()
  await page.keyboard.press('Escape')
  await page.getByRole('menuitem').first().waitFor({ state: 'detached' })
  return items
}

/** Opens the second-newest version of an article. */
async function openFormerVersion({ page, url, id }: ArticleVisit): Promise<void> {
  const rights = page.waitForResponse(/\/permissions\?/)
  await page.goto(`${url}/studio/c/articles/${id}/history`)
  await page.getByRole('navigation', { name: 'Versions' }).getByRole('button').nth(1).click()
  await page.getByRole('heading', { name: 'Changed fields' }).waitFor()
  await (await rights).finished()
}

describe('an entry form under access rules that return a where', () => {
  let open: OpenBrowser
  beforeAll(async () => {
    open = await openBrowser()
  }, 120_000)
  afterAll(() => open[Symbol.asyncDispose]())

  /** Opens, as Inés, an article that the given user created. */
  async function visitArticle(email: string, isPublished: boolean): Promise<ArticleVisit> {
    let id = ''
    const before = async (service: TestService): Promise<void> => {
      const article = await send(service, email, 'POST', '', { title: 'Ink' })
      id = article.id
      if (isPublished) await send(service, TOMASZ.email, 'POST', `/${id}/publish`, {})
    }
    const visit = await visitStudio(open, config, { as: INES, before, path: () => `/studio/c/articles/${id}` })
    return { ...visit, id, [Symbol.asyncDispose]: () => visit[Symbol.asyncDispose]() }
  }

  test('lets contributors edit their own draft, with the fields and actions that the rules permit', async () => {
    await using visit = await visitArticle(INES.email, false)
    const { page } = visit
    await isShown(page, 'Ink')
    expect(await page.getByLabel('Title').isEditable()).toBe(true)
    expect(await page.getByLabel('Rank').isEditable()).toBe(false)
    expect(await page.getByRole('button', { name: 'Publish', exact: true }).count()).toBe(0)
    expect(await moreItems(page)).toEqual(['History', 'Duplicate', 'Delete …'])
    await page.getByLabel('Title').fill('Ink and paper')
    await isSaved(page)
    expect(await page.getByLabel('Title').isEditable()).toBe(true)
    expect(await moreItems(page)).toEqual(['History', 'Duplicate', 'Delete …'])
    expect(await visit.axeFaults()).toEqual([])
    await openFormerVersion(visit)
    await page.getByRole('button', { name: 'Restore' }).waitFor()
    expect(await visit.takeFaults()).toEqual([])
  })

  test('is read-only from the start for an entry that the user may not change, and says why', async () => {
    await using visit = await visitArticle(TOMASZ.email, true)
    const { page } = visit
    await page.getByText(READ_ONLY).waitFor()
    expect(await page.getByLabel('Title').isEditable()).toBe(false)
    expect(await page.getByRole('button', { name: 'Publish', exact: true }).count()).toBe(0)
    expect(await moreItems(page)).toEqual(['History', 'Duplicate'])
    expect(await visit.axeFaults()).toEqual([])
    // The form appears only after the permissions have arrived.
    const permissionsRequest = Promise.withResolvers<void>()
    const permissionsRelease = Promise.withResolvers<void>()
    await page.route(/\/permissions\?/, async (route) => {
      permissionsRequest.resolve()
      await permissionsRelease.promise
      await route.continue()
    })
    await page.reload()
    await permissionsRequest.promise
    await page.getByText('Loading', { exact: false }).first().waitFor({ state: 'attached' })
    expect(await page.getByRole('textbox', { name: 'Title' }).count()).toBe(0)
    permissionsRelease.resolve()
    await page.getByText(READ_ONLY).waitFor()
    await send(visit.service, TOMASZ.email, 'PUT', `/${visit.id}`, { title: 'Ink, mended' })
    await openFormerVersion(visit)
    expect(await page.getByRole('button', { name: 'Restore' }).count()).toBe(0)
    expect(await visit.takeFaults()).toEqual([])
  })

  test('becomes read-only when an editor publishes the entry, and keeps unsaved text', async () => {
    await using visit = await visitArticle(INES.email, false)
    const { page, service, id } = visit
    await isShown(page, 'Ink')
    const isSaving = Promise.withResolvers<void>()
    const isPublished = Promise.withResolvers<void>()
    await page.route(/\/api\/articles\/[0-9a-f-]+\?draft=true/, async (route) => {
      if (route.request().method() === 'PUT') {
        isSaving.resolve()
        await isPublished.promise
      }
      await route.continue()
    })
    await page.getByLabel('Title').fill('Ink and paper')
    await isSaving.promise
    await send(service, TOMASZ.email, 'POST', `/${id}/publish`, {})
    isPublished.resolve()
    await page.getByText(READ_ONLY).waitFor()
    await page.getByText('Your changes are not saved, because', { exact: false }).waitFor()
    const title = page.getByLabel('Title')
    expect([await title.isEditable(), await title.inputValue()]).toEqual([false, 'Ink and paper'])
    expect(await visit.axeFaults()).toEqual([])
    await page.getByRole('button', { name: 'Discard', exact: true }).click()
    await isShown(page, 'Ink')
    expect(await title.inputValue()).toBe('Ink')
    // Once the editor unpublishes it, the contributor may edit it again.
    await send(service, TOMASZ.email, 'POST', `/${id}/unpublish`, {})
    await page.getByText(READ_ONLY).waitFor({ state: 'detached' })
    await title.fill('Ink, again')
    await isSaved(page)
    expect(await visit.takeFaults()).toEqual([])
  })

  test('is read-only for a file that another user uploaded', async () => {
    let id = ''
    await using visit = await visitStudio(open, config, {
      as: INES,
      before: async (service) => {
        id = await storeFile(service, 'mill.png', { alt: 'A mill' })
      },
      path: () => `/studio/assets/${id}`,
    })
    const { page } = visit
    await page.getByText('You can view this, but not change it.').waitFor()
    expect(await page.getByLabel('Alt text').isEditable()).toBe(false)
    expect(await page.getByRole('button', { name: /^(?:Save|Delete)/ }).count()).toBe(0)
    expect(await visit.axeFaults()).toEqual([])
  })
})
