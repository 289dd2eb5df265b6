import type { DaybookConfig } from 'daybook'
import type { TestService } from 'daybook/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OpenBrowser, openBrowser } from '../../../client/test/support/browser.ts'
import { failingPlugin } from '../../../daybook/test/support/configs/configs.ts'
import { museumOf } from '../support/configs.ts'
import { INES, isShown, makeAdministrator, signIn } from '../support/people.ts'
import { type Visit, visitStudio } from '../support/visit.ts'
import managed from './accounts.config.ts'

let open: OpenBrowser
beforeAll(async () => {
  open = await openBrowser()
}, 120_000)
afterAll(() => open[Symbol.asyncDispose]())

const METRICS = '/api/cms/metrics'

const config: DaybookConfig = { ...managed, plugins: [...(managed.plugins ?? []), failingPlugin] }

async function makeAdministratorOf(service: TestService): Promise<void> {
  await makeAdministrator(service, new URL('accounts.config.ts', import.meta.url))
}

/** Waits until the overview shows a change made now; by then its first requests have long been answered. */
async function changeIsShown({ page, service }: Visit): Promise<void> {
  await service.content.create('authors', { name: 'Somebody new' })
  await page.getByRole('link', { name: 'Somebody new' }).waitFor()
}

describe('requests and latency on the overview', () => {
  test('are shown to administrators as plots and as a table', async () => {
    await using visit = await visitStudio(open, config, {
      metrics: true,
      before: async (service) => {
        await makeAdministratorOf(service)
        for (const path of ['/fail', '/fail', '/api/posts']) await service.request(path)
      },
    })
    const { page } = visit
    await signIn(page)
    const section = page.getByRole('region', { name: 'Requests and latency' })
    await section.getByText(`/${process.pid}, counting since`, { exact: false }).waitFor()
    await section
      .getByRole('img', { name: /^Requests per minute\. Requests in the last hour: \d+\. Failed: 2\.$/ })
      .waitFor()
    await section.getByRole('img', { name: /^Latency in milliseconds\. .*median [\d.]+ ms/ }).waitFor()
    await section.scrollIntoViewIfNeeded()
    await visit.shoot('metrics')
    expect(await visit.axeFaults()).toEqual([])
    await section.getByText('Show as table').focus()
    await page.keyboard.press('Enter')
    const table = section.getByRole('table')
    expect(await table.getByRole('columnheader').allTextContents()).toEqual([
      'Time',
      'Requests',
      'Failed',
      'Median (ms)',
      '95th percentile (ms)',
    ])
    const failures = await table.locator('tbody tr td:nth-child(3)').allTextContents()
    expect(failures.reduce((sum, text) => sum + Number(text), 0)).toBe(2)
    expect(await visit.axeFaults()).toEqual([])
    expect(await visit.takeFaults()).toEqual([])
  })

  test('are shown in German', async () => {
    await using visit = await visitStudio(open, config, {
      metrics: true,
      locale: 'de-DE',
      before: async (service) => {
        await makeAdministratorOf(service)
        await service.request('/fail')
      },
    })
    const { page } = visit
    await page.getByLabel('E-Mail-Adresse').fill('ines@example.org')
    await page.getByLabel('Passwort').fill('a long one of mine')
    await page.getByRole('button', { name: 'Anmelden', exact: true }).click()
    const section = page.getByRole('region', { name: 'Anfragen und Antwortzeiten' })
    await section.getByRole('img', { name: /Anfragen in der letzten Stunde: \d+\. Fehlgeschlagen: 1\.$/ }).waitFor()
    await visit.shoot('metrics-german')
    expect(await visit.takeFaults()).toEqual([])
  })

  test('fit on a phone', async () => {
    await using visit = await visitStudio(open, config, {
      metrics: true,
      viewport: { width: 360, height: 740 },
      before: makeAdministratorOf,
    })
    const { page } = visit
    await signIn(page)
    const section = page.getByRole('region', { name: 'Requests and latency' })
    await section.getByText('Show as table').click()
    await section.getByRole('table').waitFor()
    await section.getByRole('img').last().scrollIntoViewIfNeeded()
    await visit.shoot('metrics-on-a-phone')
    const widths = await page.evaluate<readonly number[]>(
      '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
    )
    expect(widths[0]).toBe(widths[1])
    expect(await visit.axeFaults()).toEqual([])
    expect(await visit.takeFaults()).toEqual([])
  })

  test('are hidden if the service has no metrics', async () => {
    await using visit = await visitStudio(open, config, { before: makeAdministratorOf })
    const { page } = visit
    const metricsResponse = page.waitForResponse((response) => response.url().endsWith(METRICS))
    await signIn(page)
    expect((await metricsResponse).status()).toBe(404)
    await changeIsShown(visit)
    expect(await page.getByText('Requests and latency').count()).toBe(0)
    expect(await visit.takeFaults()).toEqual([])
  })

  test('are not requested for other users', async () => {
    await using visit = await visitStudio(open, museumOf(1), { metrics: true, as: INES })
    const { page } = visit
    const requestedPaths: string[] = []
    page.on('request', (request) => requestedPaths.push(new URL(request.url()).pathname))
    await isShown(page, 'Overview')
    await page.getByRole('link', { name: 'Post 1', exact: true }).waitFor()
    await changeIsShown(visit)
    expect(requestedPaths).toContain('/api/cms/journal')
    expect(requestedPaths).not.toContain(METRICS)
    expect(await visit.takeFaults()).toEqual([])
  })
})
