import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { OpenBrowser } from '../../packages/client/test/support/browser.ts'
import { saveHtml } from './save-picture.ts'
import { escapeHtml, WINDOW_STYLE } from './window.ts'

const PROGRAM = fileURLToPath(new URL('../../packages/daybook/src/cli/bin.ts', import.meta.url))
/** The config of a project made with `npm create daybook`. */
const CONFIG = fileURLToPath(new URL('../../packages/create-daybook/templates/blog/daybook.config.ts', import.meta.url))
/** Makes a process treat its pipes as a terminal. */
const TERMINAL = '--import=data:text/javascript,process.stdout.isTTY=process.stderr.isTTY=true'

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
  const args = [TERMINAL, PROGRAM, 'dev', '--port', '0', '--config', CONFIG]
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
    .replace(/^( {2}Password {3})\S+$/m, '$1gJ4nQ0vXc1s8TzWmK2eR')
