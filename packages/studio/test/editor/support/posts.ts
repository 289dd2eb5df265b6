import type { TestService } from 'daybook/testing'
import type { Page } from 'playwright-core'
import type { OpenBrowser } from '../../../../client/test/support/browser.ts'
import { WAIT_TIMEOUT_MS } from '../../../../daybook/test/support/timeouts.ts'
import { museumOf } from '../../support/configs.ts'
import { INES, isShown, signIn } from '../../support/people.ts'
import { type Visit, visitStudio } from '../../support/visit.ts'

/** A visit that begins in the editor of a post, as a signed-in user. */
export interface PostVisit extends Visit {
  readonly id: string
  readonly path: string
  /** Returns the post's draft. */
  stored(): Promise<Readonly<Record<string, unknown>>>
  published(): Promise<Readonly<Record<string, unknown>>>
}

/** Opens the only post of the museum. */
export async function visitPost(open: OpenBrowser): Promise<PostVisit> {
  let id = ''
  const before = async (service: TestService): Promise<void> => {
    const [post] = (await service.content.list('posts')).items
    id = String(post?.id)
  }
  const visit = await visitStudio(open, museumOf(1), { as: INES, before, path: () => `/studio/c/posts/${id}` })
  const { page, service } = visit
  await isShown(page, 'Post 1')
  const content = service.content
  return {
    ...visit,
    id,
    path: `/studio/c/posts/${id}`,
    stored: async () => (await content.get('posts', id, { draft: true })) ?? {},
    published: async () => (await content.get('posts', id)) ?? {},
    [Symbol.asyncDispose]: () => visit[Symbol.asyncDispose](),
  }
}

/** Opens a page of the same Studio in a separate browser, and signs in there. */
export async function openElsewhere(open: OpenBrowser, { url }: Visit, path: string, account = INES): Promise<Page> {
  const tab = await open.browser.newContext({ viewport: { width: 1024, height: 768 }, locale: 'en-GB' })
  const page = await tab.newPage()
  page.setDefaultTimeout(WAIT_TIMEOUT_MS)
  await page.goto(url + path)
  await signIn(page, account)
  return page
}

export async function writeBody(page: Page, text: string): Promise<void> {
  await page.locator('.cm-content').click()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.insertText(text)
}

/** Matches the paths of requests that save or publish. */
export const WRITES = /\/api\/posts(?:\/|\?|$)/
