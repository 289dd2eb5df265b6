import { LANGUAGES, type PageFiles } from './built-files.ts'
import type { AccentColours } from './options.ts'

/** What a page is made of. */
export interface PageParts {
  readonly title: string
  readonly nonce: string
  readonly language: string
  /** `undefined`: what the visitor's system asks for. */
  readonly theme: 'light' | 'dark' | undefined
  readonly accent: AccentColours | undefined
  /** The path of the folder that holds the files. */
  readonly folder: string
  readonly files: PageFiles
  /** What the program reads when it begins. */
  readonly settings: object
}

/** The one page of the Studio; the program draws the rest. */
export function renderPage(parts: PageParts): string {
  const { title, nonce, language, theme, accent, folder, files, settings } = parts
  const address = (file: string): string => escapeHtml(`${folder}/${file}`)
  return `<!doctype html>
<html lang="${language}"${theme === undefined ? '' : ` data-theme="${theme}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="${theme ?? 'light dark'}">
<meta property="csp-nonce" nonce="${nonce}">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
${files.styles.map((file) => `<link rel="stylesheet" nonce="${nonce}" href="${address(file)}">\n`).join('')}${
  accent ? `<style nonce="${nonce}">${accentCss(accent)}</style>\n` : ''
}${files.preloads.map((file) => `<link rel="modulepreload" nonce="${nonce}" href="${address(file)}">\n`).join('')}<script type="module" nonce="${nonce}" src="${address(files.script)}"></script>
</head>
<body>
<div id="studio"></div>
<noscript>The Studio needs JavaScript.</noscript>
<script type="application/json" id="settings">${toScriptText(settings)}</script>
</body>
</html>
`
}

/** Colours of the config in place of those of the program: the accent, and what is legible on it. */
function accentCss({ light, dark }: AccentColours): string {
  return `:root{--accent:light-dark(${light},${dark});--on-accent:light-dark(${legibleOn(light)},${legibleOn(dark)})}`
}

/** Black or white, whichever has the greater contrast (WCAG 2.2, relative luminance). */
function legibleOn(colour: string): string {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
  return 1.05 / (luminance + 0.05) >= (luminance + 0.05) / 0.05 ? '#ffffff' : '#000000'
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (one) => ESCAPES[one] ?? one)

/** JSON that no HTML parser takes for the end of the script, or for a comment. */
const toScriptText = (value: object): string => JSON.stringify(value).replaceAll('<', '\\u003c')

/**
 * What the page may do (CSP level 3): run its own scripts, use its own styles, and ask this service. Nothing inline runs.
 *
 * Scripts and styles need the nonce, which modules pass on to those that they import. `'self'` would admit every file of the
 * origin, uploads among them.
 *
 * @param assetOrigins origins that images, sound and films may come from besides
 * @param frameOrigins origins whose pages may be shown in frames
 */
export function buildPagePolicy(
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

/** How a visitor wants to see the Studio. */
interface VisitorPreferences {
  readonly language: string
  /** `undefined`: as the system asks. */
  readonly theme: 'light' | 'dark' | undefined
}

/** Reads what the visitor chose in the Studio, which cookies keep, and else what the browser prefers. */
export function readVisitorPreferences(headers: Headers): VisitorPreferences {
  const cookies = new Map((headers.get('cookie') ?? '').split(/; */).map((pair) => splitAt(pair, '=')))
  const theme = cookies.get('daybook-studio-theme')
  const asked = [
    cookies.get('daybook-studio-language'),
    ...(headers.get('accept-language') ?? '').split(',').map((one) => one.trim().slice(0, 2).toLowerCase()),
  ]
  return {
    language: asked.find((one): one is string => one !== undefined && LANGUAGES.includes(one)) ?? 'en',
    theme: theme === 'light' || theme === 'dark' ? theme : undefined,
  }
}

function splitAt(text: string, mark: string): readonly [string, string] {
  const at = text.indexOf(mark)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}
