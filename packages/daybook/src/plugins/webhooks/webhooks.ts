import { definePlugin, type JournalEvent, type Plugin, type SubscribedJournal } from '../../index.ts'
import { signatureHeaders, toMessage } from './message.ts'
import {
  checkWebhooksOptions,
  missingSecrets,
  randomSecret,
  type WebhookEndpoint,
  type WebhooksOptions,
} from './options.ts'
import { webhookRoutes } from './routes.ts'
import { type FilteringAgent, sendMessage } from './sender.ts'

/** How many messages are sent to an endpoint at once. */
const CONCURRENCY = 16

/**
 * Sends a signed message for each change to the endpoints that want it (Standard Webhooks), at least once and in order for each
 * document. Failed messages are sent again for three days, and then parked: `daybook webhooks` lists and replays them.
 *
 * @throws {ConfigError} for options that are wrong
 *
 * @example
 * ```ts
 * defineConfig({
 *   collections,
 *   plugins: [
 *     webhooks({
 *       endpoints: { site: { url: 'https://www.example.org/hooks/content', secrets: [secret] } },
 *     }),
 *   ],
 * })
 * ```
 */
export function webhooks(
  options: WebhooksOptions,
): Plugin<Record<never, never>, Record<never, never>, Record<never, never>> {
  checkWebhooksOptions(options)
  const endpoints = Object.entries(options.endpoints)
  return definePlugin({
    name: 'webhooks',
    version: '1.0.0',
    // Other plugins may see these: no address, header or secret is among them.
    options: { endpoints: Object.keys(options.endpoints) },
    system: endpoints.some(([, { as }]) => as === 'system'),
    missingSecrets: missingSecrets(options),
    setup: async ({ journal, route }) => {
      const agents: FilteringAgent[] = []
      const subscribed = new Map<string, SubscribedJournal>()
      for (const [name, endpoint] of endpoints) {
        const { agent, deliver } = await openEndpoint(name, endpoint)
        agents.push(agent)
        subscribed.set(name, await journal.subscribe({ ...subscriptionOf(name, endpoint, options), deliver }))
      }
      for (const one of webhookRoutes(options, subscribed)) route(one)
      return {
        close: () => {
          for (const agent of agents) agent.destroy()
        },
      }
    },
  })
}

function subscriptionOf(
  name: string,
  { as = 'public', collections, globals, actions }: WebhookEndpoint,
  { timeoutMs = 10_000, retries = {} }: WebhooksOptions,
) {
  const { firstMs, maxMs, forMs } = retries
  return {
    name,
    reader: as,
    concurrency: CONCURRENCY,
    times: { deliveryMs: timeoutMs, retryMs: firstMs, maxRetryMs: maxMs, parkAfterMs: forMs },
    ...(collections ? { collections } : {}),
    ...(globals ? { globals } : {}),
    ...(actions ? { actions } : {}),
  }
}

/** An endpoint at work. The libraries are loaded by the first service that has one. */
async function openEndpoint(
  name: string,
  { url: address, secrets, headers = {}, allowPrivate = false }: WebhookEndpoint,
) {
  const [{ Webhook }, { useAgent }] = await Promise.all([import('standardwebhooks'), import('request-filtering-agent')])
  const signers = secrets.map((secret) => new Webhook(secret ?? randomSecret()))
  const url = new URL(address)
  const agent = useAgent(url.href, {
    keepAlive: true,
    maxSockets: CONCURRENCY,
    allowPrivateIPAddress: allowPrivate,
    allowMetaIPAddress: allowPrivate,
  })
  const deliver = async (event: JournalEvent): Promise<void> => {
    const message = toMessage(name, event)
    const signed = signatureHeaders(signers, message, new Date())
    const all = { 'User-Agent': 'Daybook', ...headers, ...signed }
    await sendMessage({ url, headers: all, body: message.body }, agent, event.signal)
  }
  return { agent, deliver }
}
