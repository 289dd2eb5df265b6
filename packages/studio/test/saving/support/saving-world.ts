import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Client, createClient } from '@daybook/client'
import { createService, defineCollection, defineConfig, defineGlobal, f, type Service } from 'daybook'
import { SLOW_MACHINE_LIMITS } from '../../../../daybook/test/support/timeouts.ts'
import { DocumentEditor } from '../../../src/app/editor/saving/document-editor.ts'
import { listLeaves } from '../../../src/app/editor/saving/document-fields.ts'
import type { EditorOptions } from '../../../src/app/editor/saving/editor-options.ts'
import type { EditorState } from '../../../src/app/editor/saving/editor-state.ts'
import type { DocumentRef, LocalCopies, LocalCopy, OpenEditors } from '../../../src/app/editor/saving/local-copies.ts'
import {
  createEntryStore,
  createGlobalStore,
  type EntryCalls,
  type GlobalCalls,
} from '../../../src/app/editor/saving/remote.ts'
import type { Clock } from '../../../src/app/editor/saving/save-schedule.ts'
import { FaultyNetwork } from './faulty-network.ts'

export const config = defineConfig({
  locales: { available: ['en', 'de'], default: 'en', fallback: { de: ['en'] } },
  limits: { ...SLOW_MACHINE_LIMITS, bodyBytes: 100_000 },
  collections: {
    pages: defineCollection({
      fields: {
        title: f.text({ required: true, localized: true }),
        slug: f.slug({ from: 'title' }),
        status: f.status(),
        body: f.markdown(),
        minutes: f.integer({ min: 0 }),
        code: f.text({ unique: true }),
        seo: f.group({ title: f.text(), description: f.text() }),
        place: f.json(),
        tags: f.list(f.text()),
        parts: f.blocks({ text: { body: f.markdown() }, quote: { words: f.text({ index: false }), by: f.text() } }),
      },
    }),
  },
  globals: { site: defineGlobal({ fields: { name: f.text(), links: f.group({ home: f.text(), help: f.text() }) } }) },
})

type Pages = Client<typeof config>['collections']['pages']

/** The browser of one user. Its store outlives its editors. */
export interface Browser {
  readonly network: FaultyNetwork
  readonly copies: MemoryCopies
  readonly editors: MemoryEditors
  readonly client: Client<typeof config>
}

const TOKEN = 'token-of-the-service-for-these-tests'

const serve = (data: string): Promise<Service<typeof config>> =>
  createService(config, { data, serviceToken: TOKEN, strict: true })

/** A service, and browsers with editors that use it. */
export class SavingWorld {
  readonly clock: TestClock = new TestClock()
  readonly #data: string
  #service: Service<typeof config>
  readonly #opened = new Set<DocumentEditor>()
  readonly pages: Pages
  #names = 0

  private constructor(data: string, service: Service<typeof config>) {
    this.#data = data
    this.#service = service
    this.pages = this.browser().client.collections.pages
  }

  static async open(): Promise<SavingWorld> {
    const data = await mkdtemp(join(tmpdir(), 'daybook-saving-'))
    return new SavingWorld(data, await serve(data))
  }

  /** Stops the service, and starts it again after `work`. */
  async restart(work: () => Promise<void>): Promise<void> {
    await this.#service.close()
    await work()
    this.#service = await serve(this.#data)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const editor of this.#opened) editor.close()
    await this.#service.close()
    await rm(this.#data, { recursive: true, force: true })
  }

  /** @param token the user's token. @default the service token */
  browser(token: string = TOKEN): Browser {
    const network = new FaultyNetwork((request) => this.#service.fetch(request))
    const client = createClient<typeof config>({ baseUrl: 'http://daybook.test', token, fetch: network.fetch })
    return { network, copies: new MemoryCopies(), editors: new MemoryEditors(), client }
  }

  /** Opens a browser in which a new user has signed in. */
  async personal(name: string): Promise<Browser> {
    const { auth } = this.browser().client
    const { token } = await auth.register({ name, email: `${name}@example.org`, password: 'correct horse' })
    return this.browser(token)
  }

  /** Opens an editor, and waits until its document is loaded or cannot be read. */
  async edit(
    browser: Browser,
    document: Partial<DocumentRef>,
    more: Partial<EditorOptions> = {},
  ): Promise<DocumentEditor> {
    const { collections } = await this.browser().client.model()
    const fields = collections.find(({ key }) => key === 'pages')?.fields ?? []
    const pages = browser.client.collections.pages as unknown as EntryCalls
    const { locale } = document
    return this.#open({
      ...this.#common(browser),
      document: { collection: 'pages', id: null, ...document },
      leaves: listLeaves(fields, { except: ['status'] }),
      remote: createEntryStore(pages, {
        hasDrafts: true,
        initial: { status: 'draft' },
        ...(locale === undefined ? {} : { locale, hasFallbacks: locale !== 'en' }),
      }),
      isAutosaved: true,
      ...more,
    })
  }

  /** Opens an editor of the global, which saves on request only. */
  async editSite(browser: Browser): Promise<DocumentEditor> {
    const { globals } = await this.browser().client.model()
    const site = browser.client.globals.site as unknown as GlobalCalls
    return this.#open({
      ...this.#common(browser),
      document: { collection: 'site', id: 'site' },
      leaves: listLeaves(globals[0]?.fields ?? [], { hasWholeGroups: true }),
      remote: createGlobalStore(site),
      isAutosaved: false,
    })
  }

  #common({
    copies,
    editors: openEditors,
  }: Browser): Pick<EditorOptions, 'person' | 'copies' | 'openEditors' | 'clock' | 'generateName' | 'random'> {
    const generateName = (): string => {
      this.#names += 1
      return `name-${this.#names}`
    }
    return { person: 'mia', copies, openEditors, clock: this.clock, generateName, random: () => 0.5 }
  }

  async #open(options: EditorOptions): Promise<DocumentEditor> {
    const editor = new DocumentEditor(options)
    this.#opened.add(editor)
    await editor.start()
    return editor
  }

  /** Advances the clock until no editor has a timer left, or `rounds` timers have fired. */
  async runUntilIdle(editors: readonly DocumentEditor[], rounds = 100): Promise<void> {
    for (let round = 0; round < rounds; round += 1) {
      await Promise.all(editors.map((editor) => editor.idle()))
      if (!this.clock.advanceToNext()) return
    }
  }
}

export const kindOf = (editor: DocumentEditor): EditorState['status']['kind'] => editor.getState().status.kind

class MemoryCopies implements LocalCopies {
  readonly #copies = new Map<string, LocalCopy>()
  isFull = false

  async get(key: string): Promise<LocalCopy | undefined> {
    return structuredClone(this.#copies.get(key))
  }

  async set(key: string, copy: LocalCopy): Promise<void> {
    if (this.isFull) throw new DOMException('The quota has been exceeded.', 'QuotaExceededError')
    this.#copies.set(key, structuredClone(copy))
  }

  async delete(key: string): Promise<void> {
    this.#copies.delete(key)
  }

  async list(): Promise<readonly string[]> {
    return [...this.#copies.keys()]
  }

  all(): readonly LocalCopy[] {
    return [...this.#copies.values()]
  }
}

class MemoryEditors implements OpenEditors {
  readonly #open = new Set<string>()

  register(editor: string): () => void {
    this.#open.add(editor)
    return () => this.#open.delete(editor)
  }

  async isOpen(editor: string): Promise<boolean> {
    return this.#open.has(editor)
  }
}

/** A clock that stands still until a test moves it. */
class TestClock implements Clock {
  #now = Date.UTC(2026, 10, 20)
  readonly #timers = new Set<{ readonly at: number; readonly call: () => void }>()

  now(): number {
    return this.#now
  }

  after(ms: number, call: () => void): () => void {
    const timer = { at: this.#now + ms, call }
    this.#timers.add(timer)
    return () => this.#timers.delete(timer)
  }

  /** Advances the time, and calls the timers due by then, in order. */
  advance(ms: number): void {
    const until = this.#now + ms
    for (let next = this.#first(); next && next.at <= until; next = this.#first()) {
      this.#timers.delete(next)
      this.#now = Math.max(this.#now, next.at)
      next.call()
    }
    this.#now = until
  }

  /** Advances to the next timer. @returns false if there is none */
  advanceToNext(): boolean {
    const next = this.#first()
    if (next) this.advance(Math.max(0, next.at - this.#now))
    return next !== undefined
  }

  #first(): { readonly at: number; readonly call: () => void } | undefined {
    return [...this.#timers].sort((a, b) => a.at - b.at)[0]
  }
}
