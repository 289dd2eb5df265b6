import type { ImageFormat } from './processor/job.ts'

/** Formats that only newer clients show, the smallest files first. */
const NEWER = ['avif', 'webp'] as const

/** The formats in which an original is made again for a client that names none. */
const OWN: Readonly<Record<string, ImageFormat>> = {
  'image/png': 'png',
  'image/apng': 'png',
  'image/gif': 'png',
  'image/webp': 'webp',
}

/**
 * The format for a client, by its `Accept` (RFC 9110, section 12.5.1). Only a format that the client names counts as accepted: a client
 * that sends no more than a wildcard may know neither AVIF nor WebP.
 *
 * @param type the media type of the original
 */
export function acceptedFormat(accept: string | undefined, type: string): ImageFormat {
  const named = new Set((accept ?? '').toLowerCase().split(',').flatMap(acceptedType))
  return NEWER.find((format) => named.has(`image/${format}`)) ?? OWN[type] ?? 'jpeg'
}

function acceptedType(range: string): readonly string[] {
  const [type = '', ...parameters] = range.split(';').map((part) => part.trim())
  const isRefused = parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter))
  return isRefused ? [] : [type]
}
