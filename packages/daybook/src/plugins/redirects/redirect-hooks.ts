import type { CollectionHooks } from '../../index.ts'
import { normalAddress } from './normal-address.ts'
import type { RedirectedCollection } from './options.ts'
import { pageMove } from './page-moves.ts'
import { RedirectBook, redirectOf } from './redirect-book.ts'

/** The hooks of the redirects themselves. */
export const redirectHooks: CollectionHooks = {
  beforeValidate: ({ data }) => ({
    ...data,
    ...('from' in data ? { from: normalAddress(data.from) } : {}),
    ...('to' in data ? { to: normalAddress(data.to) } : {}),
  }),
  beforeChange: async ({ id, after, asSystem }) => {
    if (!after) return undefined
    const redirect = redirectOf(after)
    const book = new RedirectBook(asSystem({ reason: 'redirects stay one step long' }))
    const to = await book.settle(id, redirect)
    return to === redirect.to ? undefined : { to }
  },
}

/**
 * The hooks of a collection whose entries have pages.
 *
 * @param status of the redirects that pages leave behind
 */
export function pageHooks(collection: RedirectedCollection, status: string): CollectionHooks {
  return {
    beforeChange: async ({ asSystem, ...change }) => {
      const { from, to } = pageMove(collection, change)
      if (to === undefined || from === to) return
      const book = new RedirectBook(asSystem({ reason: 'a page has moved' }))
      await (from === undefined ? book.clear(to) : book.move(from, to, status))
    },
  }
}
