import {
  type BeforeChangeEntry,
  type BeforeChangeGlobal,
  type BeforeValidateEntry,
  type BeforeValidateGlobal,
  type DaybookConfig,
  defineCollection,
  defineGlobal,
  definePlugin,
  f,
  hasRole,
} from 'daybook'
import { People } from '../support/auth/people.ts'
import type { StoredService } from '../support/stores/stores.ts'

/** Ada may do everything. Ann may neither see `secret` nor write `locked`. */
export const people = new People({ ada: ['admin'], ann: ['editor'] })

const isAdmin = hasRole('admin')

type HookResult = unknown

/** Hook implementations, replaced by each test. */
export interface Probes {
  validate?: (event: BeforeValidateEntry<object, DaybookConfig>) => HookResult
  change?: (event: BeforeChangeEntry<object, DaybookConfig>) => HookResult
  validateNote?: (event: BeforeValidateEntry<object, DaybookConfig>) => HookResult
  changeNote?: (event: BeforeChangeEntry<object, DaybookConfig>) => HookResult
  validateSite?: (event: BeforeValidateGlobal<object, DaybookConfig>) => HookResult
  changeSite?: (event: BeforeChangeGlobal<object, DaybookConfig>) => HookResult
}

/** The hooks of the current test. The config is shared, so it calls them through this object. */
export const probes: Probes = {}

export function clearProbes(): void {
  for (const key of Object.keys(probes)) delete probes[key as keyof Probes]
}

const probe = definePlugin({
  name: 'probe',
  version: '1.0.0',
  system: true,
  hooks: {
    collections: {
      posts: {
        beforeValidate: (event) => probes.validate?.(event) as never,
        beforeChange: (event) => probes.change?.(event) as never,
      },
      notes: {
        beforeValidate: (event) => probes.validateNote?.(event) as never,
        beforeChange: (event) => probes.changeNote?.(event) as never,
      },
    },
    globals: {
      site: {
        beforeValidate: (event) => probes.validateSite?.(event) as never,
        beforeChange: (event) => probes.changeSite?.(event) as never,
      },
    },
  },
})

/** Posts and notes have hooks, entries of `plain` have none. */
export const probedConfig: DaybookConfig = {
  auth: people.adapter,
  limits: { pluginMs: 1500 },
  locales: { default: 'en', available: ['en', 'de'] },
  collections: {
    posts: defineCollection({
      fields: {
        title: f.text({ required: true, maxLength: 40, localized: true }),
        slug: f.slug({ from: 'title' }),
        body: f.markdown(),
        code: f.text({ unique: true }),
        rank: f.integer({ min: 0 }),
        seo: f.group({ words: f.text(), weight: f.integer() }),
        link: f.relation('posts'),
        secret: f.text({ access: { read: isAdmin } }),
        locked: f.text({ access: { write: isAdmin } }),
      },
    }),
    notes: defineCollection({
      fields: { text: f.text({ required: true }), code: f.text({ unique: true }) },
      access: { create: isAdmin },
    }),
    plain: defineCollection({ fields: { text: f.text() } }),
  },
  globals: { site: defineGlobal({ fields: { name: f.text({ required: true }), tag: f.text({ maxLength: 5 }) } }) },
  plugins: [probe],
}

/** A response: an entry, a list or an error, depending on the status. */
export interface SentResponse {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>> & {
    readonly id: string
    readonly code?: string
    readonly message?: string
    readonly details?: { readonly issues?: readonly unknown[]; readonly operation?: number }
    readonly total?: number
    readonly items?: readonly Readonly<Record<string, unknown>>[]
  }
}

/** Returns a function that sends requests with the bearer token `name`; none if it is empty. */
export const createSender =
  (service: Pick<StoredService, 'request'>) =>
  async (name: string, method: string, path: string, body?: unknown): Promise<SentResponse> => {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    const headers = { ...(name === '' ? {} : { Authorization: `Bearer ${name}` }), 'Content-Type': type }
    const response = await service.request(path, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, body: JSON.parse(text || '{}') }
  }
