import { mustBeSaved } from './media-type.ts'

/**
 * The `Content-Disposition` of a file (RFC 6266): shown in the page where that is safe, else saved.
 *
 * @param filename of ASCII characters that need no quoting
 * @param isSaved whether it must be saved; by default, by its type
 */
export function dispositionOf(
  type: string,
  filename: string,
  originalName: string,
  isSaved: boolean = mustBeSaved(type),
): string {
  const encoded = encodeURIComponent(originalName.toWellFormed()).replace(/['()*]/g, toEscape)
  return `${isSaved ? 'attachment' : 'inline'}; filename="${filename}"; filename*=UTF-8''${encoded}`
}

/** Characters that `encodeURIComponent` leaves, and RFC 8187 does not allow. */
const toEscape = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`
