import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Page as BrowserPage, Locator } from 'playwright-core'
import { expect } from 'vitest'
import { AS_TERMINAL } from '../../packages/daybook/test/support/built/command.ts'
import { freePort } from '../../packages/daybook/test/support/network/free-port.ts'
import { eventually, WAIT_TIMEOUT_MS } from '../../packages/daybook/test/support/timeouts.ts'
import { type Block, blocksOf } from '../../scripts/markdown.ts'
import type { FreshFolder, Serving } from '../../scripts/packages/fresh-folder.ts'
import { runStep, stepsOf } from './console.ts'
import type { Bindings } from './match.ts'
import { fileOf, markOf, ROOT, withPatience } from './site.ts'

/** The commands that serve, with the addresses on the pages. */
const SERVING: Readonly<Record<string, string>> = { 'npm run dev': '3000', 'npm run site': '4321' }
/** Commands that change the shell of the reader. */
const CHANGES_SHELL = /^(?:cd |\. )/

/** A list of steps for the Studio, in a page. */
interface StudioSteps {
  readonly steps: readonly string[]
}

/** Returns the blocks of a page and its numbered lists, in their order. */
function partsOf(text: string): readonly (Block | StudioSteps)[] {
  const blocks = blocksOf(text)
  const parts: (Block | StudioSteps)[] = []
  let steps: string[] | undefined
  let isFenced = false
  for (const [index, line] of text.split('\n').entries()) {
    const block = blocks.find((candidate) => candidate.line === index + 1)
    if (block) parts.push(block)
    if (line.startsWith('```')) isFenced = !isFenced
    const [, step] = (!isFenced && /^\d+\. (.+)$/.exec(line)) || []
    if (step === undefined) {
      steps = undefined
    } else if (steps) {
      steps.push(step)
    } else {
      steps = [step]
      parts.push({ steps })
    }
  }
  return parts
}

/** A reader of the tutorial, who does in an empty folder and in a browser what its pages say. */
export class TutorialReader implements AsyncDisposable {
  readonly #fresh: FreshFolder
  readonly #folder: string
  readonly #optionalBrowser: BrowserPage | undefined
  readonly #bindings: Bindings = new Map()
  /** The commands that changed the shell. */
  readonly #shell: string[] = []
  /** The running services, by the port on the pages. */
  readonly #serving = new Map<string, Serving>()
  /** The code of files so far, by path. */
  readonly #files = new Map<string, string>()

  /**
   * @param folder the empty folder in which the reader begins, in the fresh one
   * @param browser a page for the steps in the Studio
   */
  constructor(fresh: FreshFolder, folder: string, browser?: BrowserPage) {
    this.#fresh = fresh
    this.#folder = folder
    this.#optionalBrowser = browser
    browser?.setDefaultTimeout(WAIT_TIMEOUT_MS)
  }

  get #browser(): BrowserPage {
    if (!this.#optionalBrowser) throw new Error('Steps in the Studio need a browser.')
    return this.#optionalBrowser
  }

  /** Follows a page from its first command to its last. @throws if something is not as the page says */
  async follow(file: string): Promise<void> {
    for (const part of partsOf(await readFile(join(ROOT, file), 'utf8'))) {
      if ('steps' in part) for (const step of part.steps) await this.#stepInStudio(step)
      else await this.followBlock(part, `${file}:${part.line}`)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const serving of this.#serving.values()) await serving[Symbol.asyncDispose]()
  }

  /** Runs a block, or writes it to the project. @param place the place of the block in the docs */
  async followBlock(block: Block, place: string): Promise<void> {
    const from = markOf(block, 'from')
    if (block.language === 'sh')
      for (const line of block.code.split('\n')) await this.#runCommand(line.replace(/\s+#.*$/, ''), place)
    else if (block.language === 'console')
      for (const step of stepsOf(block)) await runStep(step, (command) => this.#run(command), this.#bindings, place)
    else if (block.language === 'diff') await this.#change(fileOf(block) ?? '', block.code)
    else if (from?.includes('/templates/site/')) await this.#extend(from.split('/templates/site/')[1] ?? '', block.code)
  }

  async #runCommand(command: string, place: string): Promise<void> {
    const port = SERVING[command]
    if (port !== undefined) return this.#serve(command, port)
    const { status, stdout, stderr } = await this.#run(command)
    if (status !== 0) throw new Error(`${place}\n$ ${command}\n${stdout}\n${stderr}`)
    if (CHANGES_SHELL.test(command)) this.#shell.push(command)
  }

  #run(command: string): ReturnType<FreshFolder['run']> {
    const lines = [
      'curl() { command curl --silent --show-error "$@"; }',
      ...this.#environment(),
      ...this.#shell,
      command,
    ]
    return this.#fresh.run(this.#folder, 'bash', '-c', this.#withAddresses(lines.join('\n')))
  }

  #environment(): readonly string[] {
    const service = this.#serving.get('3000')
    return service ? [`export DAYBOOK_URL=${service.url}`] : []
  }

  async #serve(command: string, port: string): Promise<void> {
    const config = await this.#pathOf('daybook.config.ts')
    await writeFile(config, withPatience(await readFile(config, 'utf8')))
    // On a busy machine, npm would begin to draw its progress on the pipe.
    const env = `PORT=${await freePort()} NODE_OPTIONS=${AS_TERMINAL} npm_config_progress=false`
    const lines = [...this.#environment(), ...this.#shell, `${env} exec ${command}`]
    this.#serving.set(port, await this.#fresh.serve(this.#folder, 'bash', '-c', lines.join('\n')))
  }

  #withAddresses(text: string): string {
    let replaced = text
    for (const [port, { url }] of this.#serving)
      replaced = replaced.replaceAll(new RegExp(`(?:http://)?(?:localhost|127\\.0\\.0\\.1):${port}`, 'g'), url)
    return replaced
  }

  /** Returns the path of a file in the reader's folder. */
  async #pathOf(file: string): Promise<string> {
    const { stdout } = await this.#run('pwd')
    return join(stdout.trim(), file)
  }

  /** Adds a block to a file of the project. */
  async #extend(file: string, code: string): Promise<void> {
    const earlier = this.#files.get(file)
    const text = earlier === undefined ? `${code}\n` : `${earlier}\n${code}\n`
    this.#files.set(file, text)
    const path = await this.#pathOf(file)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text)
  }

  /** Changes a file of the project as a diff says, and waits until the service has restarted. */
  async #change(file: string, diff: string): Promise<void> {
    const lines = diff.split('\n')
    const select = (...signs: readonly string[]): string =>
      lines.flatMap((line) => (signs.includes(line[0] ?? ' ') ? [line.slice(1)] : [])).join('\n')
    const path = await this.#pathOf(file)
    const text = await readFile(path, 'utf8')
    const [before, after] = [select(' ', '-'), select(' ', '+')]
    if (!text.includes(before)) throw new Error(`${file} does not contain:\n${before}`)
    const starts = this.#starts
    await writeFile(
      path,
      text.replace(before, () => after),
    )
    await eventually(() => expect(this.#starts).toBeGreaterThan(starts))
  }

  /** The number of starts of the service. */
  get #starts(): number {
    return this.#serving.get('3000')?.output.match(/^listening on /gm)?.length ?? 0
  }

  /** Does what a step of a list says: a text after a label is typed, and other names are selected. */
  async #stepInStudio(step: string): Promise<void> {
    const page = this.#browser
    const [, label, text] = /^\*\*(.+)\*\*: `(.+)`$/.exec(step) ?? []
    if (label !== undefined && text !== undefined) return this.#type(label, text)
    const [address] = /http:\S+\/studio\b/.exec(step) ?? []
    if (address !== undefined) await page.goto(this.#withAddresses(address))
    if (step.startsWith('Reload')) await page.reload()
    if (step.includes('create your account')) await this.#createAccount()
    for (const [, name = ''] of step.matchAll(/(?:[Ss]elect|then) \*\*(.+?)\*\*/g)) await this.#select(name)
  }

  async #createAccount(): Promise<void> {
    const [, link = ''] = await eventually(() => {
      const line = /^ {2}(http\S+#setup=\S+)$/m.exec(this.#serving.get('3000')?.output ?? '')
      if (!line) throw new Error('The start has printed no link.')
      return line
    })
    await this.#browser.goto(link)
    await this.#browser.getByLabel('Name').fill('Ada')
    await this.#browser.getByLabel('E-mail address').fill('ada@example.org')
    await this.#browser.getByLabel('Password').fill('one of my own choice')
    await this.#select('Create an account')
  }

  #type(label: string, text: string): Promise<void> {
    const inputs = ['textbox', 'spinbutton'] as const
    return oneOf(inputs.map((role) => this.#browser.getByRole(role, { name: label }))).fill(text)
  }

  async #select(name: string): Promise<void> {
    const page = this.#browser
    const roles = ['button', 'link', 'option'] as const
    const target = oneOf(roles.map((role) => page.getByRole(role, { name, exact: true })))
    const isPublish = name === 'Publish'
    const published = isPublish ? page.waitForResponse((response) => response.url().endsWith('/publish')) : undefined
    await target.click()
    await published
  }
}

/** Returns the first element that one of the locators finds. */
function oneOf([first, ...further]: readonly Locator[]): Locator {
  if (!first) throw new Error('There is no locator.')
  return further.reduce((all, locator) => all.or(locator), first).first()
}
