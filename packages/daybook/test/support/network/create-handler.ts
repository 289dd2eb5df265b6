import type { Servable } from 'daybook/node'

type Handle = Servable['handle']
type Asked = Parameters<Handle>[0]
type Answered = Parameters<Parameters<Handle>[1]>[0]

/** Finds the answer to a request. */
export type FindResponse = (request: Asked) => Promise<Answered>

/** The handler that answers so. */
export const createHandler =
  (answer: FindResponse): Handle =>
  async (request, respond) =>
    respond(await answer(request))
