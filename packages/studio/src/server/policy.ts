/**
 * What the page may do (CSP level 3): run its own scripts, use its own styles, and ask this service. Nothing inline runs.
 *
 * Scripts and styles need the nonce, which modules pass on to those that they import. `'self'` would admit every file of the
 * origin, uploads among them.
 *
 * @param assetOrigins origins that images, sound and films may come from besides
 * @param frameOrigins origins whose pages may be shown in frames
 */
export function pagePolicy(
  nonce: string,
  assetOrigins: readonly string[],
  frameOrigins: readonly string[] = [],
): string {
  const media = ["'self'", 'data:', 'blob:', ...assetOrigins].join(' ')
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "connect-src 'self'",
    `img-src ${media}`,
    `media-src ${media}`,
    "font-src 'self'",
    ...(frameOrigins.length === 0 ? [] : [`frame-src ${frameOrigins.join(' ')}`]),
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** A logo may be opened by itself, and then runs nothing. */
export const LOGO_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
