import { ApiTokens } from '../../../packages/daybook/src/auth/tokens/api-tokens.ts'
import { Store } from '../../../packages/daybook/src/store/store.ts'
import { type Bench, startArgs } from '../../bench.ts'
import type { BenchStore } from '../../databases/databases.ts'
import { ask } from '../../load/check.ts'
import { here, Server } from '../../load/child.ts'
import { KINDS } from '../../load/kinds.ts'
import { race, type Side, WrongAnswer } from '../../load/measure.ts'
import { makePlan } from '../../load/plan.ts'
import { type Pair, pairOf } from '../../report.ts'

/** The least of what requests without a session do. */
const MIN_WITH_SESSION = 0.8
const ACCOUNT = { name: 'Bench', email: 'bench@example.org', password: 'a password of the bench' }

/** A list that is asked for without a session, with that of an account in the database, and with a named token. */
export async function compareSessions(bench: Bench): Promise<readonly Pair[]> {
  const { databases, generator, effort, say } = bench
  const kind = KINDS.find(({ name }) => name === 'list')
  if (!kind || !bench.isAsked('sessions')) return []
  say('lists with and without a session …')
  const { targeting } = await makePlan(bench.store, bench.model)
  const store = await databases.copyOf(bench.store)
  const args = [...bench.profiling, ...startArgs(store, { config: here('../databases/accounts.config.ts') })]
  await using server = await Server.start(args, store.env)
  const side = (name: string, token?: string): Side => ({
    name,
    servers: [server],
    database: databases,
    targeting,
    ...(token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } }),
  })
  const account = side('an account', await register(server))
  const program = side('a named token', await makeToken(store))
  const [anonymous, ...others] = await race(generator, kind, [side('anonymous'), account, program], effort)
  return [account, program].flatMap(({ name }, place) => {
    const sample = others[place]
    return sample ? [pairOf(kind, name, MIN_WITH_SESSION, anonymous, sample)] : []
  })
}

async function register({ url }: Server): Promise<string> {
  const headers = { 'content-type': 'application/json' }
  const { status, body } = await ask(`${url}/api/cms/auth/actions/register`, 'POST', JSON.stringify(ACCOUNT), headers)
  if (status !== 201) throw new WrongAnswer(`sessions: registering answers ${status}`)
  return (JSON.parse(body) as { readonly token: string }).token
}

async function makeToken(place: BenchStore): Promise<string> {
  const store = new Store(await place.open())
  try {
    const token = { name: 'bench', scopes: ['*:read'], roles: ['service'], expiresAt: null }
    return (await new ApiTokens(store.records).create(token)).token
  } finally {
    await store.close()
  }
}
