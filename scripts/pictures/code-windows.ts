import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { OpenBrowser } from '../../packages/client/test/support/browser.ts'
import { AS_TERMINAL } from '../../packages/daybook/test/support/built/command.ts'
import { isSaved } from '../../packages/studio/test/support/people.ts'
import { enter, visitMuseum } from './museum-visit.ts'
import { CONTEXT, fixIds, saveHtml, takeScreenshot, toSource } from './save-picture.ts'

/** The style of a window with text of fixed width, as of a terminal. */
const WINDOW_STYLE = `
body { margin: 0; background: #161b26; }
.window { display: flex; gap: 8px; padding: 14px 20px 0; }
.window i { width: 12px; height: 12px; border-radius: 50%; background: #3c4557; }
pre { margin: 0; padding: 16px 24px 24px; font: 15px/1.55 "DejaVu Sans Mono", Menlo, Consolas, monospace; color: #dfe4ee;
  white-space: pre-wrap; overflow-wrap: anywhere; }
.prompt { color: #7fd6a4; } .key { color: #8cc4ff; } .text { color: #f1cf8a; } .number { color: #d6a4ff; }
`

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

const escapeHtml = (text: string): string => text.replace(/[&<>]/g, (character) => ESCAPES[character] ?? character)

/** Returns HTML of JSON with colours for its names, texts and other values. */
const colourJson = (json: string): string =>
  escapeHtml(json).replace(
    /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null|-?\d[\d.]*)\b/g,
    (token, text?: string, colon?: string) => {
      if (text === undefined) return `<span class="number">${token}</span>`
      return colon === undefined ? `<span class="text">${text}</span>` : `<span class="key">${text}</span>${colon}`
    },
  )

const PROGRAM = fileURLToPath(new URL('../../packages/daybook/src/cli/bin.ts', import.meta.url))
/** The config of a project made with `npm create daybook`. */
const CONFIG = fileURLToPath(new URL('../../packages/create-daybook/templates/blog/daybook.config.ts', import.meta.url))

/** Stores a picture of what `daybook dev` prints in a terminal. */
export async function takeTerminal(open: OpenBrowser): Promise<void> {
  const printed = stableText(await readGreeting())
  const html = `<!doctype html><style>${WINDOW_STYLE}</style>
<div class="window"><i></i><i></i><i></i></div>
<pre><span class="prompt">$</span> npx daybook dev\n${escapeHtml(printed)}</pre>`
  await saveHtml(open, html, 'terminal', 800)
}

/** Runs `daybook dev` in an empty folder until it has printed its greeting. */
async function readGreeting(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'daybook-terminal-'))
  const args = [AS_TERMINAL, PROGRAM, 'dev', '--port', '0', '--config', CONFIG]
  const env = { ...process.env, NODE_ENV: undefined, DAYBOOK_SERVICE_TOKEN: undefined }
  const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'ignore'] })
  try {
    let output = ''
    for await (const chunk of child.stdout) {
      output += chunk
      if (output.endsWith('\n\n')) return output
    }
    throw new Error(`daybook dev ended after: ${output}`)
  } finally {
    child.kill('SIGTERM')
    await rm(folder, { recursive: true, force: true })
  }
}

/** Replaces the port and the password, which differ in each run. */
const stableText = (output: string): string =>
  output
    .trim()
    .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:3000')
    .replace(/(#setup=)\S+$/m, '$1gJ4nQ0vXc1s8TzWmK2eR…')

const STUDIO = { width: 640, height: 784 }
const CODE_WIDTH = 600
const PATH = '/api/stories/ink-and-paper'
const QUERY = ['include=author,cover', 'select=title,slug,author.name,cover.alt,parts'] as const

const STYLE = `${WINDOW_STYLE}
body { display: flex; align-items: stretch; background: #fff; }
main { flex: none; line-height: 0; border-right: 1px solid #d9dce3; }
main img { width: ${STUDIO.width}px; height: ${STUDIO.height}px; }
section { width: ${CODE_WIDTH}px; background: #161b26; }
`

/** Stores a picture of a story in the Studio, with the JSON that a client gets for it on the right. */
export async function takeEntryAsJson(open: OpenBrowser): Promise<void> {
  await using scene = await visitMuseum(open, { ...CONTEXT, viewport: STUDIO })
  const { page, ids, go, visit } = scene
  await enter(scene)
  await go(`/c/stories/${ids.ink}`, 'Ink and paper')
  await page.locator('.cm-content').waitFor()
  await isSaved(page)
  const studio = await takeScreenshot(page)
  const entry: unknown = await (await fetch(`${visit.url}${PATH}?${QUERY.join('&')}`)).json()
  const command = [`curl -s -G localhost:3000${PATH}`, ...QUERY.map((part) => `  -d ${part}`)]
  const html = `<!doctype html><style>${STYLE}</style>
<main><img src="${toSource(studio)}" alt=""></main>
<section><div class="window"><i></i><i></i><i></i></div>
<pre><span class="prompt">$</span> ${command.join(' \\\n')} | jq
${colourJson(fixIds(JSON.stringify(entry, null, 2)))}</pre></section>`
  await saveHtml(open, html, 'entry-as-json', STUDIO.width + CODE_WIDTH)
}
