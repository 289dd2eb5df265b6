import { type CollectionConfig, defineCollection, type Field, f } from '../../index.ts'
import { REDIRECT_STATUSES } from './options.ts'

/** The longest address, in characters. */
export const MAX_ADDRESS = 512

/** A path. Two slashes, or a backslash, would name another host. */
const PATH = String.raw`/(?![/\\])[^?#\s\\]*`
/** A path with its query and fragment, or an address of the web. */
const TARGET = String.raw`(?:/(?![/\\])|https?://[^\s/\\])[^\s\\]*`

/** The fields of a redirect. */
export type RedirectFields = Readonly<{
  from: Field<string, { readonly required: true }>
  to: Field<string, { readonly required: true }>
  status: Field<(typeof REDIRECT_STATUSES)[number], { readonly required: true; readonly default: '301' }>
}>

/** Addresses that have moved. */
export const redirectCollection: CollectionConfig<RedirectFields> = defineCollection({
  description: 'Addresses that have moved.',
  fields: {
    from: f.text({ required: true, unique: true, maxLength: MAX_ADDRESS, pattern: `^${PATH}$`, search: false }),
    to: f.text({ required: true, maxLength: MAX_ADDRESS, pattern: `^${TARGET}$`, search: false }),
    status: f.select({ required: true, options: REDIRECT_STATUSES, default: '301' }),
  },
})
