import type { BetterAuthOptions } from 'better-auth'
import type { DBAdapterInstance } from 'better-auth/adapters'
import { memoryAdapter } from 'better-auth/adapters/memory'

const CHANGING: ReadonlySet<PropertyKey> = new Set(['create', 'update', 'updateMany', 'delete', 'deleteMany'])

/**
 * A database that goes with the process.
 *
 * @param onChange called after each change
 */
export function memoryDatabase(onChange: () => void): DBAdapterInstance {
  const open = memoryAdapter({ user: [], session: [], account: [], verification: [] })
  return (given: BetterAuthOptions) => watched(open(given), onChange)
}

/** The same adapter, which says so after each change. */
function watched<A extends object>(adapter: A, onChange: () => void): A {
  return new Proxy(adapter, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      if (name === 'transaction') {
        return (work: (inner: object) => unknown) =>
          member.call(target, (inner: object) => work(watched(inner, onChange)))
      }
      if (!CHANGING.has(name)) return member.bind(target)
      return async (...given: readonly unknown[]) => {
        try {
          return await member.apply(target, given)
        } finally {
          onChange()
        }
      }
    },
  })
}
