import { DaybookError } from '@daybook/client'
import { type Case, equal, failure } from './case.ts'

const account = () => ({ name: 'Mia', email: `mia-${crypto.randomUUID()}@example.org`, password: 'long enough' })

export const SESSIONS: readonly Case[] = [
  {
    name: 'registering creates an account, whose token has a session',
    async run({ client }) {
      const person = account()
      const { token, principal, authenticated } = await client().auth.register(person)
      equal([authenticated, principal.email], [true, person.email])
      const mia = client().withToken(token)
      const session = await mia.auth.session()
      equal([session.authenticated, session.identity?.actorType, session.principal?.name], [true, 'human', 'Mia'])
      const { collections, globals } = await mia.auth.permissions()
      equal(
        [collections.posts, globals.site],
        [
          { read: true, create: true, update: true, delete: true, restore: true, fields: {} },
          { read: true, update: true, fields: {} },
        ],
      )
      const described = await mia.model()
      equal(described.collections.find(({ key }) => key === 'posts')?.permissions, {
        read: true,
        create: true,
        update: true,
        delete: true,
        restore: true,
      })
      const post = await mia.collections.posts.create({ title: 'By Mia', status: 'draft' })
      const rights = await mia.auth.permissionsOn({ collection: 'posts', id: post.id })
      equal([rights.update, rights.publish, rights.statuses.published, rights.fields], [true, true, true, {}])
      const missing = mia.auth.permissionsOn({ collection: 'posts', id: crypto.randomUUID() })
      equal((await failure(missing, DaybookError)).code, 'NOT_FOUND')
      equal(await mia.auth.permissionsOn({ global: 'site' }), { read: true, update: true, fields: {} })
      await mia.collections.posts.delete(post)
      equal(await mia.auth.logout(), undefined)
      equal((await mia.auth.session()).authenticated, false)
    },
  },
  {
    name: 'signing in needs the right password',
    async run({ client }) {
      const { auth } = client({ credentials: 'omit' })
      const { email, password, name } = account()
      await auth.register({ name, email, password })
      equal((await failure(auth.login({ email, password: 'another one' }), DaybookError)).code, 'UNAUTHORIZED')
      equal((await auth.login({ email, password })).principal.email, email)
      equal((await failure(auth.register({ name, email, password }), DaybookError)).details.field, 'email')
      equal((await failure(auth.logout(), DaybookError)).code, 'UNAUTHORIZED')
      equal((await failure(auth.action('no-such-action'), DaybookError)).code, 'NOT_FOUND')
    },
  },
  {
    name: 'without a session, the caller is anonymous',
    async run({ client }) {
      const session = await client().withToken(undefined).auth.session()
      equal(session, { authenticated: false, principal: null, identity: null })
    },
  },
]

/** Cases for browsers only, which keep cookies. */
export const COOKIES: readonly Case[] = [
  {
    name: 'a browser that includes cookies keeps the session',
    async run({ client }) {
      const browser = client({ credentials: 'include' })
      const { email, password, name } = account()
      await browser.auth.register({ name, email, password })
      equal((await browser.auth.session()).principal?.email, email)
      const post = await browser.collections.posts.create({ title: 'From a browser', status: 'draft' })
      await browser.collections.posts.delete(post)
      equal((await client({ credentials: 'omit' }).auth.session()).authenticated, false)
      await browser.auth.logout()
      equal((await browser.auth.session()).authenticated, false)
    },
  },
]
