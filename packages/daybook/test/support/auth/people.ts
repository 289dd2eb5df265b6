import type { AuthAdapter, AuthContext, Caller, Identity } from 'daybook'
import type { Step } from '../scenarios/scenario.ts'

/** People with a session. Their bearer token is their name, optionally after any text and a dot. */
export class People {
  readonly #roles: Map<string, readonly string[]>
  readonly adapter: AuthAdapter

  constructor(roles: Readonly<Record<string, readonly string[]>>) {
    this.#roles = new Map(Object.entries(roles))
    const nameOf = ({ headers }: AuthContext): string =>
      headers.get('authorization')?.replace(/^Bearer (?:.*\.)?/, '') ?? ''
    this.adapter = {
      getCapabilities: () => ({
        provider: 'people',
        providerRoutes: { enabled: true, basePath: '/api/auth' },
      }),
      getPrincipal: async (context) => this.caller(nameOf(context)).principal,
      getIdentity: async (context) => this.caller(nameOf(context)).identity,
      invoke: async () => Response.json({ done: true }),
      handleRequest: async () => Response.json({ answered: true }),
      getCaller: async (subject) => (this.#roles.has(subject) ? this.caller(subject) : null),
    }
  }

  /** The caller for an in-process call; without a session for an unknown name. */
  caller(name: string): Caller {
    const roles = this.#roles.get(name)
    return roles ? { principal: { id: name }, identity: identityOf(name, roles) } : { principal: null, identity: null }
  }

  /** Ends a person's session. */
  ban(name: string): void {
    this.#roles.delete(name)
  }

  promote(name: string, ...roles: readonly string[]): void {
    this.#roles.set(name, roles)
  }
}

/** The identity of a session that does not expire. */
export const identityOf = (subject: string, roles: readonly string[] = []): Identity => ({
  provider: 'people',
  subject,
  sessionId: `session of ${subject}`,
  actorType: 'human',
  expiresAt: null,
  claims: {},
  roles,
})

/** Sends a step's request in a person's session. */
export const as = (name: string, step: Step): Step => ({
  ...step,
  auth: false,
  headers: { ...step.headers, Authorization: `Bearer ${name}` },
})
