import type { TestService } from 'daybook/testing'
import type { Locator, Page } from 'playwright-core'

/** What an account is made of. */
export interface Account {
  readonly name: string
  readonly email: string
  readonly password: string
}

/** The person who writes in the tests. */
export const INES: Account = { name: 'Inés', email: 'ines@example.org', password: 'a long one of mine' }
/** Another one. */
export const TOMASZ: Account = { name: 'Tomasz', email: 'tomasz@example.org', password: 'quite another one' }

/** The cookie of a session. */
export interface SessionCookie {
  readonly name: string
  readonly value: string
}

/** Makes an account as a program would, before the page is opened, and answers its first session. */
export async function makeAccount(service: TestService, account: Account = INES): Promise<SessionCookie> {
  const answer = await service.request('/api/cms/auth/actions/register', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(account),
  })
  if (answer.status !== 201) throw new Error(`register answered ${answer.status}: ${await answer.text()}`)
  const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(answer.headers.getSetCookie()[0] ?? '') ?? []
  return { name, value }
}

/** Waits for a page of the Studio, by its heading. */
export const isShown = (page: Page, heading: string): Promise<void> =>
  page.getByRole('heading', { name: heading, level: 1, exact: true }).waitFor()

/** Waits until all that was typed is stored; the page says so at once when something is typed. */
export const isSaved = (page: Page): Promise<void> => page.locator('[data-saving=saved]').waitFor()

/** Fills in the form that is shown, and signs in. @param page or a part of it, such as a dialog */
export async function signIn(
  page: Page | Locator,
  { email, password }: Pick<Account, 'email' | 'password'> = INES,
): Promise<void> {
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}
