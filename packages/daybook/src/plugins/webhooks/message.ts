import type { Webhook } from 'standardwebhooks'
import type { JournalEvent } from '../../index.ts'

/** A message about a change, without its signatures. */
export interface WebhookMessage {
  /** The same when it is sent again. */
  readonly id: string
  /** JSON. */
  readonly body: string
}

/** The last part of a message's type, by action. */
const PAST: Readonly<Record<string, string>> = {
  create: 'created',
  update: 'updated',
  delete: 'deleted',
  publish: 'published',
  unpublish: 'unpublished',
  restore: 'restored',
}

/** The message of a change (Standard Webhooks, "Webhook payload"). */
export function toMessage(endpoint: string, event: JournalEvent): WebhookMessage {
  const { action, collection, id, global, slug, seq, at, actor, after } = event
  const subject = global === undefined ? `${collection}` : `globals.${global}`
  const data = { action, collection, id, global, slug, seq, actor, entry: action === 'delete' ? null : after }
  return {
    id: `${endpoint}_${seq}`,
    body: JSON.stringify({ type: `${subject}.${PAST[action] ?? action}`, timestamp: at, data }),
  }
}

/** The headers that identify and sign a message; of two secrets, each has its signature. */
export function signatureHeaders(
  signers: readonly Webhook[],
  { id, body }: WebhookMessage,
  at: Date,
): Readonly<Record<string, string>> {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': signers.map((signer) => signer.sign(id, at, body)).join(' '),
  }
}
