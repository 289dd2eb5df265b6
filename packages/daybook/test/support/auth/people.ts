import type { AuthAdapter, AuthContext, Caller, Identity } from 'daybook'
import type { Step } from '../scenarios/scenario.ts'

/** People with a session: their bearer token is their name, with anything and a dot before it. */
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

  /** Whom a call inside the process is made for; without a session for a name that nobody has. */
  caller(name: string): Caller {
    const roles = this.#roles.get(name)
    return roles ? { principal: { id: name }, identity: identityOf(name, roles) } : { principal: null, identity: null }
  }

  /** Keeps somebody out from now on. */
  ban(name: string): void {
    this.#roles.delete(name)
  }

  /** Gives somebody other roles from now on. */
  promote(name: string, ...roles: readonly string[]): void {
    this.#roles.set(name, roles)
  }
}

/** A session of somebody that has no end. */
export const identityOf = (subject: string, roles: readonly string[] = []): Identity => ({
  provider: 'people',
  subject,
  sessionId: `session of ${subject}`,
  actorType: 'human',
  expiresAt: null,
  claims: {},
  roles,
})

/** The same request in somebody's session. */
export const as = (name: string, step: Step): Step => ({
  ...step,
  auth: false,
  headers: { ...step.headers, Authorization: `Bearer ${name}` },
})
