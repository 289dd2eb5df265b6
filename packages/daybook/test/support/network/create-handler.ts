import type { Servable } from 'daybook/node'

type Handle = Servable['handle']
type HandledRequest = Parameters<Handle>[0]
type HandledResponse = Parameters<Parameters<Handle>[1]>[0]

export type FindResponse = (request: HandledRequest) => Promise<HandledResponse>

export const createHandler =
  (findResponse: FindResponse): Handle =>
  async (request, respond) =>
    respond(await findResponse(request))
