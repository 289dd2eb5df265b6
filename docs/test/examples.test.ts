import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { AS_BUILT } from '../../packages/daybook/test/support/built/command.ts'
import { PostgresDatabase } from '../../packages/daybook/test/support/postgres/postgres-database.ts'
import { POLICY_STORES } from '../../packages/daybook/test/support/stores/stores.ts'
import { type Block, blocksOf, readPages } from '../../scripts/markdown.ts'
import { runStep, stepsOf } from './console.ts'
import { type Bindings, difference } from './match.ts'
import { addressOf, fileOf, makeFolder, markOf, ROOT, run, SECRETS, type Site, startSite } from './site.ts'

const PAGES = (await readPages(ROOT))
  .map(({ file, text }) => ({ file, blocks: blocksOf(text) }))
  .filter(({ blocks }) => blocks.some(({ language }) => ['console', 'ts', 'tsx', 'astro'].includes(language)))

/** The timeout of a page, which starts a service and many commands, in milliseconds. */
const PATIENT = { timeout: 600_000 }

/** Commands that work only on the embedded file. */
const isEmbeddedOnly = (command: string): boolean => /--from sqlite:|--data |daybook backup /.test(command)

async function runBlock(
  site: Site,
  file: string,
  block: Block,
  { bindings, isEmbedded }: { readonly bindings: Bindings; readonly isEmbedded: boolean },
): Promise<void> {
  const steps = stepsOf(block).filter(({ command }) => isEmbedded || !isEmbeddedOnly(command))
  for (const step of steps) await runStep(step, site.shell, bindings, `${file}:${block.line}`)
}

const MAKE_DATABASE = { sqlite: async () => undefined, postgres: () => PostgresDatabase.make() } as const

describe.each(POLICY_STORES)('console examples print what the page shows on $name', ({ name }) => {
  // The test of create-daybook follows the tutorial.
  const pages = PAGES.filter(
    ({ file, blocks }) => !file.startsWith('docs/tutorial/') && blocks.some(({ language }) => language === 'console'),
  )
  test.each(pages)('$file', PATIENT, async ({ file, blocks }) => {
    await using database = await MAKE_DATABASE[name]()
    await using site = await startSite(blocks, database?.url)
    const bindings: Bindings = new Map()
    for (const block of blocks.filter(({ language }) => language === 'console')) {
      await runBlock(site, file, block, { bindings, isEmbedded: database === undefined })
    }
  })
})

test('npm start serves the example', PATIENT, async () => {
  const data = await makeFolder([])
  const args = ['start', '--', '--port', '0', '--log', 'warn', '--data', data]
  const service = spawn('npm', args, { cwd: ROOT, detached: true, stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(async () => {
    if (service.pid !== undefined) process.kill(-service.pid, 'SIGTERM')
    await once(service, 'exit')
    await rm(data, { recursive: true, force: true })
  })
  const list = await fetch(`http://${await addressOf(service)}/api/posts?limit=1`)
  expect(await list.json()).toMatchObject({ collection: 'posts', items: [{ status: 'published' }] })
})

test('blocks with from=PATH match their files', async () => {
  const pages = await readPages(ROOT)
  const quoted = pages.flatMap(({ text }) => blocksOf(text)).filter((block) => markOf(block, 'from') !== undefined)
  expect(quoted.length).toBeGreaterThan(0)
  for (const block of quoted) {
    expect(await readFile(join(ROOT, markOf(block, 'from') ?? ''), 'utf8')).toContain(`${block.code}\n`)
  }
})

/** The declarations that snippets without imports use. */
const PRELUDE = "import { createService, defineCollection, defineConfig, defineGlobal, f } from 'daybook'"
/** npm installs it below the package that needs it. A project that imports it has it in its package.json. */
const BETTER_AUTH = join(ROOT, 'packages/daybook/node_modules/better-auth/dist')
const TSCONFIG = {
  extends: join(ROOT, 'tsconfig.base.json'),
  compilerOptions: {
    noEmit: true,
    noUnusedLocals: false,
    noUnusedParameters: false,
    jsx: 'react-jsx',
    paths: { 'better-auth/*': [`${BETTER_AUTH}/*/index.d.mts`] },
  },
  include: ['*/*.ts', '*/*.tsx', join(ROOT, 'packages/daybook/src/untyped-packages.d.ts')],
}

const isTypeScript = ({ language }: Block): boolean => ['ts', 'tsx', 'astro'].includes(language)

const nameOf = (block: Block): string =>
  fileOf(block) ?? `line-${block.line}.${block.language === 'tsx' ? 'tsx' : 'ts'}`

const folderOf = (file: string): string => file.replaceAll('/', '-')

/** The program of a snippet; for an Astro page, the part that runs on the server. */
function codeOf({ code, language }: Block): string {
  if (language === 'astro') return `${/^---\n([\s\S]*?)^---$/m.exec(code)?.[1]}\nexport {}\n`
  return /^import /m.test(code) ? `${code}\n` : `${PRELUDE}\n${code}\nexport {}\n`
}

/** Writes the snippets of every page, a folder for each page. */
async function makeProject(): Promise<string> {
  const root = await makeFolder([])
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  for (const { file, blocks } of PAGES) {
    await mkdir(join(root, folderOf(file)))
    for (const block of blocks.filter(isTypeScript)) {
      await writeFile(join(root, folderOf(file), nameOf(block)), codeOf(block))
    }
  }
  await writeFile(join(root, 'tsconfig.json'), JSON.stringify(TSCONFIG))
  return root
}

describe('TypeScript examples', () => {
  test('have no type errors', PATIENT, async () => {
    const root = await makeProject()
    const { stdout } = await run(join(ROOT, 'node_modules/.bin/tsc'), ['-p', root], root)
    expect(stdout).toBe('')
  })

  const runnable = PAGES.filter(({ blocks }) => blocks.some(({ words }) => words.includes('run')))
  test.each(runnable)('run: $file', PATIENT, async ({ file, blocks }) => {
    const folder = join(await makeProject(), folderOf(file))
    for (const snippet of blocks.filter(({ words }) => words.includes('run'))) {
      const { status, stdout, stderr } = await run(process.execPath, [nameOf(snippet)], folder, {
        NODE_OPTIONS: AS_BUILT,
        ...SECRETS,
      })
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
      const next = blocks[blocks.indexOf(snippet) + 1]
      if (next?.language === 'text') expect(difference(next.code, stdout, new Map())).toBeUndefined()
    }
  })
})
