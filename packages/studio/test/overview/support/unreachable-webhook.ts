import type { DaybookConfig } from 'daybook'
import { webhooks } from 'daybook/plugins'
import { museumOf } from '../../support/configs.ts'

const SECRETS = ['whsec_b25seSBmb3IgdHJ5aW5nIHRoaW5ncyBvdXQsIG5vdCBmb3IgdXNl']

/** The museum with a webhook whose port has no listener, so that each delivery fails. */
export function withUnreachableWebhook(): DaybookConfig {
  const base = museumOf(0)
  const site = { url: 'http://127.0.0.1:9/', secrets: SECRETS, allowPrivate: true }
  return { ...base, plugins: [...(base.plugins ?? []), webhooks({ endpoints: { site }, access: () => true })] }
}
