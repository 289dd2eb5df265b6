import { ANONYMOUS } from '../../auth/adapter.ts'
import type { Access } from '../../content/access/access.ts'
import { type FieldRights, fieldRights } from '../../content/access/field-access.ts'
import type { Ruled } from '../../content/access/rules.ts'
import type { Model } from '../../model/model.ts'
import type { Route } from '../contract.ts'
import { isOpenByRule } from '../protection.ts'

/** What one reader may know of the service. */
export interface ApiReader {
  /** Collections and globals that the reader may read, each with what the reader may do with its fields. */
  readonly documents: ReadonlyMap<Ruled, FieldRights>
  /** Routes that need a session, unless a rule lets others in, and whose rule does. */
  readonly openRoutes: ReadonlySet<Route>
  /** The same for readers who may know the same. */
  readonly variant: string
}

/** Asks the rules of the config what a reader may know. */
export async function apiReader(model: Model, routes: readonly Route[], access: Access): Promise<ApiReader> {
  const documents = new Map<Ruled, FieldRights>()
  for (const document of [...model.collections.values(), ...model.globals.values()]) {
    const rights = await rightsOf(document, access)
    if (rights) documents.set(document, rights)
  }
  const openRoutes = new Set<Route>()
  for (const route of routes) if (await isOpen(model, route)) openRoutes.add(route)
  const open = [...openRoutes].map(({ operationId, resource }) => `${operationId} ${resource?.key}`)
  const known = [...documents].map(([{ kind, key }, { hidden, absent }]) => [kind, key, [...hidden], [...absent]])
  return { documents, openRoutes, variant: JSON.stringify([known, open]) }
}

/** What a reader may do with the fields of a document; `undefined`: it is not there for the reader, or a rule failed. */
async function rightsOf(document: Ruled, access: Access): Promise<FieldRights | undefined> {
  try {
    return (await access.rulingOnReads(document)) === false ? undefined : fieldRights(document, access)
  } catch {
    return undefined
  }
}

async function isOpen(model: Model, route: Route): Promise<boolean> {
  if (route.protection !== 'session') return false
  try {
    return await isOpenByRule(model, route, ANONYMOUS)
  } catch {
    return false
  }
}
