import { LANGUAGES, type PageFiles } from './built-files.ts'
import type { AccentColours } from './options.ts'

export interface PageParts {
  readonly title: string
  readonly nonce: string
  readonly language: string
  /** `undefined` follows the visitor's system. */
  readonly theme: 'light' | 'dark' | undefined
  readonly accent: AccentColours | undefined
  /** The URL path of the folder with the built files. */
  readonly folder: string
  readonly files: PageFiles
  /** Read by the program when it starts. */
  readonly settings: object
}

/** Renders the page of the Studio; the program renders its content. */
export function renderPage(parts: PageParts): string {
  const { title, nonce, language, theme, accent, folder, files, settings } = parts
  const urlOf = (file: string): string => escapeHtml(`${folder}/${file}`)
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
<style nonce="${nonce}">${FAILURE_CSS}</style>
${files.styles.map((file) => `<link rel="stylesheet" nonce="${nonce}" href="${urlOf(file)}">\n`).join('')}${
  accent ? `<style nonce="${nonce}">${buildAccentCss(accent)}</style>\n` : ''
}${files.preloads.map((file) => `<link rel="modulepreload" nonce="${nonce}" href="${urlOf(file)}">\n`).join('')}<script type="module" nonce="${nonce}" src="${urlOf(files.script)}"></script>
</head>
<body>
<div id="studio">${renderFailure(language)}</div>
<noscript>${getFailureTexts(language).noScript}</noscript>
<script type="application/json" id="settings">${toScriptText(settings)}</script>
</body>
</html>
`
}

/** The texts of the page for a browser that cannot load or start the program. */
const FAILURE_TEXTS = {
  en: {
    title: 'The Studio has not started',
    text: 'Its program did not load. Check your connection, and reload the page. If that does not help, tell the operators of this service.',
    reload: 'Reload',
    noScript: 'The Studio needs JavaScript. Turn it on in the settings of your browser, and reload the page.',
  },
  de: {
    title: 'Das Studio ist nicht gestartet',
    text: 'Das Programm wurde nicht geladen. Prüfen Sie die Verbindung, und laden Sie die Seite neu. Hilft das nicht, wenden Sie sich an die Betreiber.',
    reload: 'Neu laden',
    noScript:
      'Das Studio braucht JavaScript. Schalten Sie es in den Einstellungen des Browsers ein, und laden Sie die Seite neu.',
  },
} as const

const getFailureTexts = (language: string) => FAILURE_TEXTS[language === 'de' ? 'de' : 'en']

/**
 * Appears if the program has not replaced it in time. The policy allows no handler that could notice a script that fails to load. The
 * program shows it at once when it fails.
 */
const FAILURE_CSS =
  '.not-started{box-sizing:border-box;max-inline-size:34rem;margin:20vh auto 0;padding:1.5rem;font:1rem/1.5 system-ui,sans-serif;' +
  'animation:not-started 0s 8s both}.not-started[data-failed]{animation:none}@keyframes not-started{from{visibility:hidden}}'

function renderFailure(language: string): string {
  const { title, text, reload } = getFailureTexts(language)
  return `<main class="not-started"><h1>${title}</h1><p>${text}</p><p><a href="">${reload}</a></p></main>`
}

/** Overrides the accent colour of the program, and the text colour on it. */
function buildAccentCss({ light, dark }: AccentColours): string {
  return `:root{--accent:light-dark(${light},${dark});--on-accent:light-dark(${legibleOn(light)},${legibleOn(dark)})}`
}

/** Black or white, whichever has the greater contrast (WCAG 2.2, relative luminance). */
function legibleOn(colour: string): string {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const channel = Number.parseInt(colour.slice(start, start + 2), 16) / 255
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
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

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character)

/** Serializes JSON so that no HTML parser sees the end of the script or a comment in it. */
const toScriptText = (value: object): string => JSON.stringify(value).replaceAll('<', '\\u003c')

/**
 * Builds the Content-Security-Policy (level 3) of the page: its own scripts and styles, requests to this service and for pasted images,
 * nothing inline.
 *
 * Scripts and styles need the nonce, which modules pass on to their imports. `'self'` would admit every file of the origin, also
 * uploaded ones.
 *
 * @param assetOrigins other origins that images, audio and video may be loaded from
 * @param pasteOrigins other origins whose images are read when they are pasted
 * @param frameOrigins origins whose pages may be shown in frames
 */
export function buildPagePolicy(
  nonce: string,
  assetOrigins: readonly string[],
  pasteOrigins: readonly string[] = [],
  frameOrigins: readonly string[] = [],
): string {
  const media = ["'self'", 'data:', 'blob:', ...assetOrigins].join(' ')
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    ["connect-src 'self'", ...pasteOrigins].join(' '),
    `img-src ${media}`,
    `media-src ${media}`,
    "font-src 'self'",
    ...(frameOrigins.length === 0 ? [] : [`frame-src ${frameOrigins.join(' ')}`]),
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** The policy of the logo: opened on its own, it runs nothing. */
export const LOGO_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

interface VisitorPreferences {
  readonly language: string
  /** `undefined` follows the visitor's system. */
  readonly theme: 'light' | 'dark' | undefined
}

/** Reads the choices of the visitor from the Studio's cookies, else the preferences of the browser. */
export function readVisitorPreferences(headers: Headers): VisitorPreferences {
  const cookies = new Map((headers.get('cookie') ?? '').split(/; */).map((pair) => splitAt(pair, '=')))
  const theme = cookies.get('daybook-studio-theme')
  const languages = [
    cookies.get('daybook-studio-language'),
    ...(headers.get('accept-language') ?? '').split(',').map((range) => range.trim().slice(0, 2).toLowerCase()),
  ]
  return {
    language: languages.find((language) => language !== undefined && LANGUAGES.includes(language)) ?? 'en',
    theme: theme === 'light' || theme === 'dark' ? theme : undefined,
  }
}

function splitAt(text: string, separator: string): readonly [string, string] {
  const index = text.indexOf(separator)
  return index < 0 ? [text, ''] : [text.slice(0, index), text.slice(index + 1)]
}
