import { isRecord } from '../fields/field.ts'
import { isPlainObject } from './check-plugins.ts'
import type { DaybookConfig } from './config.ts'
import type { Plugin } from './plugin.ts'

/** Parts of a config that may be of a class and change: they are not content. */
const LIVING: readonly string[] = ['auth', 'database', 'plugins']

/** Freezes an assembled config and its plugins, so that nothing changes what is served. */
export function freezeConfig(config: DaybookConfig, plugins: readonly Plugin[]): void {
  const seen = new WeakSet<object>()
  for (const [key, part] of Object.entries(config)) if (!LIVING.includes(key)) freezeDeeply(part, seen)
  Object.freeze(config)
  freezeDeeply(plugins, seen)
}

function freezeDeeply(value: unknown, seen: WeakSet<object>): void {
  const isOpen = Array.isArray(value) || isPlainObject(value)
  if (!isOpen || seen.has(value as object)) return
  seen.add(value as object)
  Object.freeze(value)
  // A field's type is code, which may keep things for itself.
  const parts = isField(value) ? [value.options] : Object.values(value as object)
  for (const part of parts) freezeDeeply(part, seen)
}

const isField = (value: unknown): value is { readonly options: unknown } =>
  isRecord(value) && isRecord(value.type) && isRecord(value.options)
