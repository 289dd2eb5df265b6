import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { TestService } from 'daybook/testing'
import type { Locator, Page } from 'playwright-core'
import { DAYBOOK } from '../../../daybook/test/support/built/command.ts'

export interface Account {
  readonly name: string
  readonly email: string
  readonly password: string
}

/** The default user of the tests. */
export const INES: Account = { name: 'Inés', email: 'ines@example.org', password: 'a long one of mine' }
export const TOMASZ: Account = { name: 'Tomasz', email: 'tomasz@example.org', password: 'quite another one' }

export interface SessionCookie {
  readonly name: string
  readonly value: string
}

export async function makeAccount(service: TestService, account: Account = INES): Promise<SessionCookie> {
  const response = await service.request('/api/cms/auth/actions/register', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(account),
  })
  if (response.status !== 201) throw new Error(`register returned ${response.status}: ${await response.text()}`)
  const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(response.headers.getSetCookie()[0] ?? '') ?? []
  return { name, value }
}

/** Waits for a page of the Studio, by its heading. */
export const isShown = (page: Page, heading: string): Promise<void> =>
  page.getByRole('heading', { name: heading, level: 1, exact: true }).waitFor()

/** Waits until the page shows that all changes are saved; it leaves that state as soon as somebody types. */
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

/** Makes Inés an administrator with the command that the guide shows. @param config the file of the config */
export async function makeAdministrator({ data }: TestService, config: URL): Promise<void> {
  const { name, email, password } = INES
  const user = ['user', 'create', email, '--name', name, '--role', 'admin', '--password-stdin']
  const run = spawn(process.execPath, [...DAYBOOK, ...user, '--config', fileURLToPath(config), '--data', data], {
    stdio: ['pipe', 'inherit', 'inherit'],
  })
  run.stdin?.end(password)
  const [code] = await once(run, 'exit')
  if (code !== 0) throw new Error(`daybook user create ended with ${code}`)
}
