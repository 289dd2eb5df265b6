import type { HookData } from '../../index.ts'
import { type PathTemplate, templatesOf } from '../entry-path.ts'
import type { RedirectedCollection } from './options.ts'
import { MAX_ADDRESS } from './redirect-collection.ts'

/** A write of an entry, as it changes its page. */
export interface PageChange {
  readonly before: HookData | null
  readonly after: HookData | null
  /** The locale that is written; `undefined`: the config names none. */
  readonly locale: string | undefined
}

/** Where a page was and is; `undefined`: it was, or is, not public. */
export interface PageMove {
  readonly from: string | undefined
  readonly to: string | undefined
}

/** Where the page of an entry was before a write, and where it is after it. */
export function pageMove({ path }: RedirectedCollection, { before, after, locale }: PageChange): PageMove {
  const templates = templatesOf(path)
  const template = templates.find((one) => one.locale === undefined || one.locale === locale)
  return { from: addressOf(template, before), to: addressOf(template, after) }
}

/** The address of an entry's page, where everyone can see it. A draft's address stays unknown. */
function addressOf(template: PathTemplate | undefined, entry: HookData | null): string | undefined {
  if (!template || !entry || !isPublic(entry)) return undefined
  const path = template.pathOf(entry)
  return path !== undefined && path.length <= MAX_ADDRESS ? path : undefined
}

const isPublic = ({ status }: HookData): boolean => status === undefined || status === 'published'
