import { defineCollection, f } from '../../index.ts'
import { REDIRECT_STATUSES } from './options.ts'

/** The longest address, in characters. */
export const MAX_ADDRESS = 512

/** A path. Two slashes, or a backslash, would name another host. */
const PATH = String.raw`/(?![/\\])[^?#\s\\]*`
/** A path with its query and fragment, or an address of the web. */
const TARGET = String.raw`(?:/(?![/\\])|https?://[^\s/\\])[^\s\\]*`

/** Addresses that have moved. */
export const redirectCollection = defineCollection({
  description: 'Addresses that have moved.',
  fields: {
    from: f.text({ required: true, unique: true, maxLength: MAX_ADDRESS, pattern: `^${PATH}$`, search: false }),
    to: f.text({ required: true, maxLength: MAX_ADDRESS, pattern: `^${TARGET}$`, search: false }),
    status: f.select({ required: true, options: REDIRECT_STATUSES, default: '301' }),
  },
})
