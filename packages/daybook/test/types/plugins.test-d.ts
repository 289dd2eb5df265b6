// Contributions of plugins are typed by inference alone. tsc is the test.
import {
  type CallerContent,
  type CollectionHooks,
  type CollectionKey,
  defineCollection,
  defineConfig,
  defineGlobal,
  definePlugin,
  type Entry,
  type EntryCreate,
  f,
  type GlobalEntry,
  type GlobalKey,
  staticFiles,
} from 'daybook'
import { redirects as shippedRedirects, sitemap } from 'daybook/plugins'
import type { Equal, Expect } from './expect.ts'

const redirects = (options: { status?: 301 | 308 } = {}) =>
  definePlugin({
    name: 'redirects',
    version: '1.0.0',
    options,
    collections: {
      redirects: defineCollection({ fields: { from: f.text({ required: true }), to: f.text({ required: true }) } }),
    },
    globals: { redirectRules: defineGlobal({ fields: { isOn: f.boolean({ required: true }) } }) },
    fields: { posts: { movedTo: f.text() }, site: { fallback: f.url() } },
    hooks: {
      collections: {
        posts: {
          beforeValidate: ({ data, options: { status } }) => ({ ...data, status: status === 301 ? 'a' : 'b' }),
          beforeChange: ({ before, after }) => {
            if (before && after && before.slug !== after.slug) throw new Error('moved')
          },
          afterCommit: async ({ seq, asSystem }) => {
            const { items } = await asSystem({ reason: 'old addresses' }).list('redirects')
            const change: { from: string; of: number } | undefined = items[0] && { from: items[0].from, of: seq }
            // @ts-expect-error a plugin knows what its own entries hold
            return change?.missing
          },
        },
      },
    },
    routes: [
      {
        method: 'GET',
        path: '/moved/:slug',
        summary: 'Sends on.',
        protection: 'public',
        responses: { 308: { description: 'Moved.' } },
        run: async ({ content, path, options: { status = 308 } }) => {
          const other = await content.get('whatever', path.slug ?? '')
          const { items } = await content.list('redirects')
          const to: string = items[0]?.to ?? String(other?.title)
          return Response.redirect(to, status)
        },
      },
    ],
    setup: async (context) => {
      const status: 301 | 308 | undefined = context.options.status
      // @ts-expect-error there is no such option
      void context.options.stats
      const rules = await context.content.readGlobal('redirectRules')
      // @ts-expect-error the content of a plugin has the rights of its caller, and gives no others
      void context.content.as
      context.log.info({ status, isOn: rules.isOn === true }, 'set up')
    },
  })

const seo = definePlugin({ name: 'seo', version: '1.0.0', fields: { posts: { seo: f.group({ title: f.text() }) } } })

const bare = definePlugin({ name: 'bare', version: '1.0.0', setup: () => ({ close: () => {} }) })

export const config = defineConfig({
  collections: { posts: defineCollection({ fields: { title: f.text({ required: true }), slug: f.slug() } }) },
  globals: { site: defineGlobal({ fields: { siteName: f.text({ required: true }) } }) },
  plugins: [redirects({ status: 308 }), seo, bare],
})
type Site = typeof config

export type Collections = Expect<Equal<CollectionKey<Site>, 'posts' | 'redirects'>>
export type Globals = Expect<Equal<GlobalKey<Site>, 'site' | 'redirectRules'>>
export type Contributed = Expect<
  Equal<
    Entry<Site, 'redirects'>,
    {
      readonly id: string
      readonly createdAt: string
      readonly updatedAt: string
      readonly createdBy?: string | null | undefined
      readonly updatedBy?: string | null | undefined
      readonly from: string
      readonly to: string
    }
  >
>
export type Extended = Expect<Equal<Entry<Site, 'posts'>['movedTo'], string | null>>
export type ExtendedTwice = Expect<Equal<Entry<Site, 'posts'>['seo'], { readonly title: string | null } | null>>
export type StillItsOwn = Expect<Equal<Entry<Site, 'posts'>['title'], string>>
export type ContributedGlobal = Expect<Equal<GlobalEntry<Site, 'redirectRules'>['isOn'], boolean>>
export type ExtendedGlobal = Expect<Equal<GlobalEntry<Site, 'site'>['fallback'], string | null>>

export const create: EntryCreate<Site, 'posts'> = { title: 'A', slug: 'a', movedTo: '/b' }

export async function use(content: CallerContent<Site>): Promise<string | undefined> {
  const { items } = await content.list('redirects')
  // @ts-expect-error there is no such collection
  await content.list('redirectz')
  return items[0]?.to
}

export const site = definePlugin({
  name: 'site',
  version: '1.0.0',
  options: { isOn: true },
  routes: staticFiles({ path: '/site', folder: './dist' }),
})

// A plugin that names what it does not know is refused.
export const wrong = definePlugin({
  name: 'wrong',
  version: '1.0.0',
  // @ts-expect-error there is no such part
  route: [],
})

// Hooks whose types are written out do not widen what the plugin contributes.
const hooked = (hooks: CollectionHooks) =>
  definePlugin({
    name: 'hooked',
    version: '1.0.0',
    collections: { visits: defineCollection({ fields: { path: f.text() } }) },
    hooks: { collections: { visits: hooks } },
  })
const withShipped = defineConfig({
  collections: { posts: defineCollection({ fields: { slug: f.slug() } }) },
  plugins: [
    shippedRedirects(),
    sitemap({ baseUrl: 'https://www.example.org', collections: { posts: { path: '/:slug' } } }),
    hooked({}),
  ],
})
export type Shipped = Expect<Equal<CollectionKey<typeof withShipped>, 'posts' | 'redirects' | 'visits'>>
export type ShippedStatus = Expect<
  Equal<Entry<typeof withShipped, 'redirects'>['status'], '301' | '302' | '307' | '308'>
>
export type ShippedKeys = Expect<
  Equal<
    keyof Entry<typeof withShipped, 'redirects'>,
    'id' | 'createdAt' | 'updatedAt' | 'createdBy' | 'updatedBy' | 'from' | 'to' | 'status'
  >
>
