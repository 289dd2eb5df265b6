import {
  type Caller,
  DaybookError,
  type DeliveryQuery,
  getIdentity,
  type JsonSchema,
  type PluginRequest,
  type PluginRoute,
  type ReplayRequest,
  type SubscribedJournal,
} from '../../index.ts'
import type { WebhooksOptions } from './options.ts'

const PATH = '/api/cms/webhooks'
const DEFAULT_LIMIT = 50
const MAX_LIMIT = 500

const SEQ: JsonSchema = { type: 'integer', minimum: 1 }
const TIME: JsonSchema = { type: ['string', 'null'], format: 'date-time' }

const objectSchema = (
  properties: Readonly<Record<string, JsonSchema>>,
  required = Object.keys(properties),
): JsonSchema => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})

const COUNT: JsonSchema = { type: 'integer', minimum: 0 }
const STATUS = objectSchema({
  name: { type: 'string' },
  origin: { type: 'string' },
  seq: COUNT,
  head: COUNT,
  pending: COUNT,
  parked: COUNT,
})
const DELIVERY = objectSchema({
  seq: SEQ,
  action: { type: 'string' },
  collection: { type: 'string' },
  id: { type: 'string' },
  attempts: COUNT,
  failedAt: TIME,
  dueAt: TIME,
  reason: { type: ['string', 'null'] },
})
/** The schema of a {@link ReplayRequest}. */
const REPLAY: JsonSchema = {
  oneOf: [
    objectSchema({ seq: SEQ }),
    objectSchema({ from: SEQ, to: SEQ }, ['from']),
    objectSchema({ parked: { const: true } }),
  ],
}

const ENDPOINT = { endpoint: { description: 'The name of an endpoint.', schema: { type: 'string' } } }

/** The routes that return the status of endpoints, and send messages again. */
export function webhookRoutes(
  { endpoints, access = isService }: WebhooksOptions,
  subscriptions: ReadonlyMap<string, SubscribedJournal>,
): readonly PluginRoute[] {
  const authorize = ({ caller }: PluginRequest): void => {
    if (access(caller) !== true) throw new DaybookError('FORBIDDEN')
  }
  const requireSubscription = ({ path: { endpoint = '' } }: PluginRequest): SubscribedJournal => {
    const subscription = subscriptions.get(endpoint)
    if (!subscription) throw new DaybookError('NOT_FOUND', `The webhook endpoint "${endpoint}" does not exist.`)
    return subscription
  }
  return [
    {
      method: 'GET',
      path: PATH,
      operationId: 'listWebhooks',
      summary: 'Lists the webhook endpoints and their progress.',
      protection: 'session',
      responses: {
        200: { description: 'The endpoints.', schema: objectSchema({ items: { type: 'array', items: STATUS } }) },
      },
      run: async (request) => {
        authorize(request)
        const statuses = [...subscriptions].map(async ([name, journal]) => {
          const { origin } = new URL(endpoints[name]?.url ?? '')
          return { name, origin, ...(await journal.status()) }
        })
        return Response.json({ items: await Promise.all(statuses) })
      },
    },
    {
      method: 'GET',
      path: `${PATH}/:endpoint/deliveries`,
      operationId: 'listWebhookDeliveries',
      summary: 'Lists failed deliveries of an endpoint, in the order of the journal.',
      protection: 'session',
      pathParameters: ENDPOINT,
      parameters: {
        state: {
          description: '`pending` deliveries are retried, `parked` ones only on request; by default `parked`.',
          schema: { type: 'string', enum: ['pending', 'parked'] },
        },
        after: { description: 'Only deliveries after this number of the journal.', schema: COUNT },
        limit: {
          description: `The maximum number of deliveries; by default ${DEFAULT_LIMIT}.`,
          schema: { type: 'integer', minimum: 1, maximum: MAX_LIMIT },
        },
      },
      responses: {
        200: { description: 'Deliveries.', schema: objectSchema({ items: { type: 'array', items: DELIVERY } }) },
      },
      run: async (request) => {
        authorize(request)
        const { state = 'parked', after = 0, limit = DEFAULT_LIMIT } = request.query
        const query = { state: state as DeliveryQuery['state'], after: Number(after), limit: Number(limit) }
        return Response.json({ items: await requireSubscription(request).deliveries(query) })
      },
    },
    {
      method: 'POST',
      path: `${PATH}/:endpoint/replay`,
      operationId: 'replayWebhooks',
      summary: 'Sends messages of an endpoint again: one, those of a part of the journal, or all parked ones.',
      protection: 'session',
      pathParameters: ENDPOINT,
      body: { description: '`{ seq }`, `{ from, to }` or `{ parked: true }`.', schema: REPLAY },
      responses: { 202: { description: 'The messages will be sent soon.' } },
      run: async (request) => {
        authorize(request)
        await requireSubscription(request).replay(request.body as ReplayRequest)
        return new Response(null, { status: 202 })
      },
    },
  ]
}

const isService = (caller: Caller): boolean => getIdentity(caller)?.actorType === 'service'
