import { type DaybookConfig, defineCollection, defineGlobal, f, hasRole } from 'daybook'
import { people } from './probed-config.ts'

const isAdmin = hasRole('admin')

type Check = (value: unknown, context: ValidatorContext) => unknown

/** The part of a validator's context that the tests use. */
export interface ValidatorContext {
  readonly entry: Readonly<Record<string, unknown>>
  readonly before: Readonly<Record<string, unknown>> | null
  readonly operation: string
  readonly identity: { readonly subject: string } | null
  readonly locale: string | undefined
  readonly content: {
    readonly get: (collection: string, address: string) => Promise<Readonly<Record<string, unknown>> | null>
    readonly list: (collection: string, query?: object) => Promise<{ readonly total: number }>
    readonly readGlobal: (key: string) => Promise<unknown>
  }
}

/** Validator implementations, replaced by each test. */
export interface Checks {
  title?: Check
  step?: Check
  secret?: Check
  event?: Check
  site?: Check
}

/** The validators of the current test. The config is shared, so it calls them through this object. */
export const checks: Checks = {}

export function clearChecks(): void {
  for (const key of Object.keys(checks)) delete checks[key as keyof Checks]
}

/** Returns a validator that calls that of the current test. */
const delegate =
  (key: keyof Checks) =>
  (value: unknown, context: object): never =>
    checks[key]?.(value, context as ValidatorContext) as never

/** Events have validators, entries of `plain` have none. Ada may do everything. Ann may neither see nor write `secret`. */
export const checkedConfig: DaybookConfig = {
  auth: people.adapter,
  limits: { pluginMs: 1500 },
  locales: { default: 'en', available: ['en', 'de', 'fr'], fallback: { de: ['en'] } },
  collections: {
    events: defineCollection({
      fields: {
        title: f.text({ required: true, localized: true, validate: delegate('title') }),
        slug: f.slug({ from: 'title' }),
        startsAt: f.datetime(),
        endsAt: f.datetime(),
        seats: f.integer({ min: 0 }),
        steps: f.list(f.group({ text: f.text({ validate: delegate('step') }), minutes: f.integer() })),
        parts: f.blocks({ quote: { text: f.text({ validate: delegate('step') }) }, rule: { wide: f.boolean() } }),
        tags: f.list(f.text()),
        extra: f.json(),
        secret: f.text({ access: { read: isAdmin }, validate: delegate('secret') }),
        note: f.text({ access: { read: isAdmin, write: () => true } }),
      },
      validate: delegate('event'),
    }),
    plain: defineCollection({ fields: { text: f.text() } }),
  },
  globals: { site: defineGlobal({ fields: { name: f.text({ required: true }) }, validate: delegate('site') }) },
}
