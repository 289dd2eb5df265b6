import { countParameter, namesParameter, type ParametersOf, textParameter } from './parameters.ts'

/** How many items a page of a feed has where the request does not say. */
export const DEFAULT_FEED_PAGE = 100
const MAX_FEED_PAGE = 1000

const COLLECTIONS = namesParameter('Keys of collections, and `globals`. By default all that the reader may read.', {
  pattern: '^[a-z][a-zA-Z0-9_]*$',
})
const LIMIT = countParameter('How many items to answer at most.', {
  default: DEFAULT_FEED_PAGE,
  minimum: 1,
  maximum: MAX_FEED_PAGE,
})

/** The parameters of the changes feed. */
export const FEED_PARAMETERS: ParametersOf<{ since: string; collections: readonly string[]; limit: number }> = {
  since: textParameter(
    'The token `next` of the page before. Without one, everything that is there is told, and then what changes.',
  ),
  collections: COLLECTIONS,
  limit: LIMIT,
}

/** The parameters of live events. */
export const EVENT_PARAMETERS: ParametersOf<{ since: string; collections: readonly string[] }> = {
  since: textParameter('A token to go on from, where `Last-Event-ID` is not sent. Without either, events begin now.'),
  collections: COLLECTIONS,
}

/** The parameters of the journal. */
export const JOURNAL_PARAMETERS: ParametersOf<{
  since: number
  actor: string
  collections: readonly string[]
  limit: number
}> = {
  since: countParameter('A number of the journal: what came after it is listed.', { default: 0 }),
  actor: textParameter('The subject of who made the changes.'),
  collections: COLLECTIONS,
  limit: LIMIT,
}
