import {
  type CollectionConfig,
  type DaybookConfig,
  defineCollection,
  defineConfig,
  defineGlobal,
  f,
  hasRole,
} from 'daybook'
import { People } from '../auth/people.ts'
import { LOCALES } from './locales.ts'

/** Ada reads everything. Ann reads and writes what has no rule. */
export const people = new People({ ada: ['admin'], ann: ['editor'] })

const isAdmin = hasRole('admin', 'service')
/** Only administrators read, so that nobody else writes. */
const SEALED = { access: { read: isAdmin } }
/** Everyone puts something in, and only administrators look. */
const BLIND = { access: { read: isAdmin, write: () => true } }

type Access = typeof SEALED | typeof BLIND

/** A field of every kind with the same rules, by its key. */
const everyKind = <K extends string>(prefix: K, access: Access) => ({
  [`${prefix}Text`]: f.text(access),
  [`${prefix}Note`]: f.markdown({ ...access, toc: true }),
  [`${prefix}Rank`]: f.integer({ ...access, min: 0 }),
  [`${prefix}Flag`]: f.boolean(access),
  [`${prefix}Kind`]: f.select({ ...access, options: ['x', 'y'] }),
  [`${prefix}Kinds`]: f.select({ ...access, options: ['x', 'y'], many: true }),
  [`${prefix}Data`]: f.json({ ...access, schema: { type: ['object', 'string'], maxProperties: 2 } }),
  [`${prefix}Group`]: f.group({ code: f.text({ required: true }), size: f.integer() }, access),
  [`${prefix}Rows`]: f.list(f.group({ who: f.relation('targets'), label: f.text({ localized: true }) }), access),
  [`${prefix}Parts`]: f.blocks({ quote: { words: f.text({ required: true }) }, prose: { text: f.markdown() } }, access),
  [`${prefix}Label`]: f.text({ ...access, localized: true }),
  [`${prefix}Ref`]: f.relation('targets', access),
  [`${prefix}Refs`]: f.relation('targets', { ...access, many: true }),
  [`${prefix}Must`]: f.text({ ...access, required: true, localized: true, default: 'a' }),
})

const plain = {
  title: f.text({ required: true }),
  body: f.markdown(),
  tagline: f.text({ localized: true }),
  seo: f.group({ words: f.text(), weight: f.integer() }),
  link: f.relation('targets'),
  links: f.relation('targets', { many: true }),
}

/** Targets, of which editors see those that are open. */
const targets = defineCollection({
  fields: { name: f.text(), open: f.boolean({ default: true }) },
  access: { read: (request) => isAdmin(request) || { open: { eq: true } } },
})

const withFields = (hidden: DaybookConfig['collections'][string]['fields']): DaybookConfig =>
  defineConfig({
    auth: people.adapter,
    locales: LOCALES,
    collections: {
      notes: defineCollection({ fields: { ...plain, slug: f.slug({ from: 'title' }), ...hidden } }),
      targets,
      /** Nobody but administrators reads one, or knows what it refers to. */
      vaults: defineCollection({
        fields: { name: f.text(), ref: f.relation('targets') },
        access: { read: isAdmin },
      }),
    },
    globals: { site: defineGlobal({ fields: { ...plain, ...hidden } }) },
  })

/** Notes and a site with hidden fields of every kind: sealed ones, and ones that everyone may write blindly. */
export const sealed: DaybookConfig = withFields({ ...everyKind('sealed', SEALED), ...everyKind('blind', BLIND) })

/** The same as it is for those who may not see the sealed fields: without them. */
export const unsealed: DaybookConfig = withFields(everyKind('blind', BLIND))

const withPieces = (parts: Pick<CollectionConfig, 'hooks' | 'validate' | 'access'>): DaybookConfig =>
  defineConfig({
    auth: people.adapter,
    locales: LOCALES,
    collections: {
      pieces: defineCollection({
        ...parts,
        fields: {
          team: f.select({ options: ['a', 'b'], default: 'a' }),
          ...plain,
          slug: f.slug({ from: 'title' }),
          status: f.status(),
          ...everyKind('sealed', SEALED),
          ...everyKind('blind', BLIND),
        },
      }),
      targets,
    },
  })

/** Entries with drafts, and hidden fields of every kind. */
export const sealedDrafts: DaybookConfig = withPieces({})

/** The same, with code that sees each write, and leaves it as it is. */
export const hookedDrafts: DaybookConfig = withPieces({
  hooks: {
    beforeValidate: ({ data }: { data: object }) => ({ ...data }),
    beforeChange: ({ after }: { after?: { title?: unknown } }) => (after ? { title: after.title } : undefined),
  },
  validate: () => undefined,
})

/** The same, where editors see the entries of one team. */
export const ruledDrafts: DaybookConfig = withPieces({
  access: { read: (request) => isAdmin(request) || { team: { eq: 'a' } } },
})
