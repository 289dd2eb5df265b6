import type { AuthGuard } from '../auth/guard.ts'
import type { DaybookConfig } from '../config/config.ts'
import type { ServiceSettings } from '../http/routes/administration-rights.ts'
import { getDaybookVersion } from '../version.ts'

/** Describes a config for operators. */
export const describeSettings = (
  { database, assets, locales, plugins = [], history = {} }: DaybookConfig,
  auth: AuthGuard,
): ServiceSettings => ({
  version: getDaybookVersion(),
  database: database ? 'other' : 'sqlite',
  storage: assets?.store ? 'other' : 'folder',
  locales: locales?.available ?? [],
  plugins: plugins.map(({ name }) => name),
  provider: auth.capabilities.provider,
  actions: Object.keys(auth.actions),
  retention: { versions: history.versions ?? null, days: history.days ?? null },
})
