import {
  type Caller,
  DaybookError,
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

const object = (properties: Readonly<Record<string, JsonSchema>>, required = Object.keys(properties)): JsonSchema => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})

const COUNT: JsonSchema = { type: 'integer', minimum: 0 }
const STATUS = object({
  name: { type: 'string' },
  origin: { type: 'string' },
  seq: COUNT,
  head: COUNT,
  pending: COUNT,
  parked: COUNT,
})
const DELIVERY = object({
  seq: SEQ,
  action: { type: 'string' },
  collection: { type: 'string' },
  id: { type: 'string' },
  attempts: COUNT,
  failedAt: TIME,
  dueAt: TIME,
  reason: { type: ['string', 'null'] },
})
/** What {@link ReplayRequest} is, for the check of a body. */
const REPLAY: JsonSchema = {
  oneOf: [object({ seq: SEQ }), object({ from: SEQ, to: SEQ }, ['from']), object({ parked: { const: true } })],
}

const ENDPOINT = { endpoint: { description: 'The name of an endpoint.', schema: { type: 'string' } } }

/** Routes that tell how endpoints do, and send messages again. */
export function webhookRoutes(
  options: WebhooksOptions,
  subscribed: ReadonlyMap<string, SubscribedJournal>,
): readonly PluginRoute[] {
  const { access = isService } = options
  const allowed =
    (run: PluginRoute['run']): PluginRoute['run'] =>
    (request) => {
      if (access(request.caller) !== true) throw new DaybookError('FORBIDDEN')
      return run(request)
    }
  const endpointOf = ({ path: { endpoint = '' } }: PluginRequest): SubscribedJournal => {
    const found = subscribed.get(endpoint)
    if (!found) throw new DaybookError('NOT_FOUND', `There is no webhook endpoint "${endpoint}".`)
    return found
  }
  return [
    {
      method: 'GET',
      path: PATH,
      operationId: 'listWebhooks',
      summary: 'Lists the webhook endpoints, and how far each has come.',
      protection: 'session',
      answers: { 200: { description: 'The endpoints.', schema: object({ items: { type: 'array', items: STATUS } }) } },
      run: allowed(async () => Response.json({ items: await statusesOf(options, subscribed) })),
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
          description: '`pending` ones are sent again, `parked` ones only when that is asked for; by default parked.',
          schema: { type: 'string', enum: ['pending', 'parked'] },
        },
        after: { description: 'Only those after this number of the journal.', schema: COUNT },
        limit: {
          description: `The most deliveries; by default ${DEFAULT_LIMIT}.`,
          schema: { type: 'integer', minimum: 1, maximum: MAX_LIMIT },
        },
      },
      answers: { 200: { description: 'Deliveries.', schema: object({ items: { type: 'array', items: DELIVERY } }) } },
      run: allowed(async (request) => {
        const { state = 'parked', after = 0, limit = DEFAULT_LIMIT } = request.query
        const asked = { state: state as 'pending' | 'parked', after: Number(after), limit: Number(limit) }
        return Response.json({ items: await endpointOf(request).deliveries(asked) })
      }),
    },
    {
      method: 'POST',
      path: `${PATH}/:endpoint/replay`,
      operationId: 'replayWebhooks',
      summary: 'Sends messages of an endpoint again: one, those of a part of the journal, or all parked ones.',
      protection: 'session',
      pathParameters: ENDPOINT,
      body: { description: '`{ seq }`, `{ from, to }` or `{ parked: true }`.', schema: REPLAY },
      answers: { 202: { description: 'They are sent soon.' } },
      run: allowed(async (request) => {
        await endpointOf(request).replay(request.body as ReplayRequest)
        return new Response(null, { status: 202 })
      }),
    },
  ]
}

const isService = (caller: Caller): boolean => getIdentity(caller)?.actorType === 'service'

const statusesOf = ({ endpoints }: WebhooksOptions, subscribed: ReadonlyMap<string, SubscribedJournal>) =>
  Promise.all(
    [...subscribed].map(async ([name, journal]) => ({
      name,
      origin: new URL(endpoints[name]?.url ?? '').origin,
      ...(await journal.status()),
    })),
  )
