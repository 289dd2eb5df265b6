import type { Webhook } from 'standardwebhooks'
import {
  definePlugin,
  type JournalEvent,
  type JournalSubscription,
  type Plugin,
  type SubscribedJournal,
} from '../../index.ts'
import {
  checkWebhooksOptions,
  missingSecrets,
  randomSecret,
  type WebhookEndpoint,
  type WebhooksOptions,
} from './options.ts'
import { webhookRoutes } from './routes.ts'
import { type FilteringAgent, sendMessage } from './sender.ts'

/** The maximum number of messages that are sent to an endpoint at a time. */
const CONCURRENCY = 16

/**
 * Sends a signed message for each change to the endpoints that want it (Standard Webhooks), at least once and in order for each
 * document. Failed messages are sent again for three days, and then parked: `daybook webhooks` lists and replays them.
 *
 * @throws {ConfigError} for invalid options
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
    // Other plugins may see the options, so they contain no URL, header or secret.
    options: { endpoints: Object.keys(options.endpoints) },
    system: endpoints.some(([, { as }]) => as === 'system'),
    missingSecrets: missingSecrets(options),
    setup: async ({ journal, route }) => {
      const agents: FilteringAgent[] = []
      const subscriptions = new Map<string, SubscribedJournal>()
      for (const [name, endpoint] of endpoints) {
        const { agent, deliver } = await openEndpoint(name, endpoint)
        agents.push(agent)
        subscriptions.set(name, await journal.subscribe(subscriptionFor(name, endpoint, options, deliver)))
      }
      for (const webhookRoute of webhookRoutes(options, subscriptions)) route(webhookRoute)
      return {
        close: () => {
          for (const agent of agents) agent.destroy()
        },
      }
    },
  })
}

type Deliver = JournalSubscription['deliver']

function subscriptionFor(
  name: string,
  { as = 'public', collections, globals, actions }: WebhookEndpoint,
  { timeoutMs = 10_000, retries: { firstMs, maxMs, forMs } = {} }: WebhooksOptions,
  deliver: Deliver,
): JournalSubscription {
  return {
    name,
    reader: as,
    concurrency: CONCURRENCY,
    times: { deliveryMs: timeoutMs, retryMs: firstMs, maxRetryMs: maxMs, parkAfterMs: forMs },
    ...(collections ? { collections } : {}),
    ...(globals ? { globals } : {}),
    ...(actions ? { actions } : {}),
    deliver,
  }
}

/** Opens the connections to an endpoint. The libraries are loaded only by a service that has one. */
async function openEndpoint(
  name: string,
  { url: address, secrets, headers = {}, allowPrivate = false }: WebhookEndpoint,
): Promise<{ readonly agent: FilteringAgent; readonly deliver: Deliver }> {
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
    const id = `${name}_${event.seq}`
    const body = writeMessage(event)
    const signature = signatureHeaders(signers, id, body)
    await sendMessage(
      { url, headers: { 'User-Agent': 'Daybook', ...headers, ...signature }, body },
      agent,
      event.signal,
    )
  }
  return { agent, deliver }
}

/** The last part of a message's type, by action. */
const PAST_TENSE: Readonly<Record<string, string>> = {
  create: 'created',
  update: 'updated',
  delete: 'deleted',
  publish: 'published',
  unpublish: 'unpublished',
  restore: 'restored',
}

/** Writes the message of a change in JSON (Standard Webhooks, "Webhook payload"). */
function writeMessage({ action, collection, id, global, slug, seq, at, actor, after }: JournalEvent): string {
  const document = global === undefined ? `${collection}` : `globals.${global}`
  const data = { action, collection, id, global, slug, seq, actor, entry: action === 'delete' ? null : after }
  return JSON.stringify({ type: `${document}.${PAST_TENSE[action] ?? action}`, timestamp: at, data })
}

/** The headers that identify and sign a message. A message has a signature for each secret. */
function signatureHeaders(signers: readonly Webhook[], id: string, body: string): Readonly<Record<string, string>> {
  const now = new Date()
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': signers.map((signer) => signer.sign(id, now, body)).join(' '),
  }
}
