import { fileURLToPath } from 'node:url'
import type { DocsConfig } from '../../config/docs.ts'
import { DocsFiles, START_SCRIPT } from './docs-files.ts'

export interface DocsPageParts {
  /** The URL of the folder with the files. */
  readonly folder: string
  readonly logo: string | undefined
  readonly nonce: string
}

export function renderDocsPage(
  { title = 'Daybook', theme = 'system' }: DocsConfig,
  { folder, logo, nonce }: DocsPageParts,
): string {
  const name = escapeHtml(title)
  const image = logo === undefined ? undefined : escapeHtml(`${folder}/${logo}`)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="${theme === 'system' ? 'light dark' : theme}">
<title>${name}</title>
<link rel="icon" href="${image ?? 'data:,'}">
<style>${STYLE}</style>
<noscript><style>#docs { display: none; }</style></noscript>
<script type="module" nonce="${nonce}" src="${escapeHtml(`${folder}/${START_SCRIPT}`)}"></script>
</head>
<body>
${image === undefined ? '' : `<header><img src="${image}" alt=""><strong>${name}</strong></header>\n`}<div id="docs" data-title="${name}" data-theme="${theme}"><p>Loading …</p></div>
<noscript><p>This page needs JavaScript. The same description, for programs: <a href="/openapi.json">/openapi.json</a>.</p></noscript>
</body>
</html>
`
}

/** Scalar leaves room for a header above it, and has these variables for its colours. */
const STYLE = `
body { margin: 0; font-family: system-ui, sans-serif; }
#docs > p, noscript > p { margin: 2rem; }
body:has(> header) { --scalar-custom-header-height: 3.5rem; }
body > header { box-sizing: border-box; position: sticky; top: 0; z-index: 100; display: flex; align-items: center; gap: 0.75rem;
  height: 3.5rem; padding: 0 1.25rem; color: var(--scalar-color-1); background: var(--scalar-background-1);
  border-bottom: 1px solid var(--scalar-border-color); }
body > header img { max-height: 2rem; max-width: 12rem; }
`

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character)

export interface OpenDocs {
  readonly files: DocsFiles
  /** Returns the page as HTML; its script has the nonce of the policy. */
  html(nonce: string): string
}

export async function openDocs(docs: DocsConfig, path: string): Promise<OpenDocs> {
  const files = await DocsFiles.open(docs.logo && fileURLToPath(docs.logo))
  const folder = `${path}/${files.version}`
  return { files, html: (nonce) => renderDocsPage(docs, { folder, logo: files.logo, nonce }) }
}
