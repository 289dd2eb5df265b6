import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { StartupError } from 'daybook'

/** A chunk of Vite's manifest. */
interface Chunk {
  readonly file: string
  readonly css?: readonly string[]
  /** Keys of chunks that are loaded with it. */
  readonly imports?: readonly string[]
}

/** What a page names, relative to the folder of the files. */
export interface PageFiles {
  readonly script: string
  readonly styles: readonly string[]
  /** Scripts that the first one imports. */
  readonly preloads: readonly string[]
}

/** The built program. */
export interface BuiltFiles {
  /** Absolute. */
  readonly folder: string
  /** @param language whose texts come along */
  getPageFiles(language: string): PageFiles
}

const ENTRY = 'src/app/main.tsx'
const MANIFEST = '.vite/manifest.json'

/** Beside this folder in the published package; where the build of the checkout puts it otherwise. */
const FOLDERS = ['../app', '../../dist/app'].map((path) => fileURLToPath(new URL(path, import.meta.url)))

/** @throws {StartupError} when the program is not built */
export async function openBuiltFiles(): Promise<BuiltFiles> {
  const folder = FOLDERS.find((one) => existsSync(join(one, MANIFEST)))
  if (folder === undefined) throw new StartupError('The Studio is not built. Run: npm run prepare')
  const chunks: Readonly<Record<string, Chunk>> = JSON.parse(await readFile(join(folder, MANIFEST), 'utf8'))
  const files = new Map(LANGUAGES.map((language) => [language, pageFiles(chunks, language)]))
  return { folder, getPageFiles: (language) => files.get(language) ?? pageFiles(chunks, DEFAULT_LANGUAGE) }
}

const DEFAULT_LANGUAGE = 'en'

/** The languages of the Studio itself, the first one where a visitor asks for none of them. */
export const LANGUAGES: readonly string[] = [DEFAULT_LANGUAGE, 'de']

function pageFiles(chunks: Readonly<Record<string, Chunk>>, language: string): PageFiles {
  const needed = new Set([ENTRY, `src/app/messages/${language}.ts`])
  // What is added meanwhile is visited, too.
  for (const key of needed) for (const other of chunks[key]?.imports ?? []) needed.add(other)
  const loaded = [...needed].flatMap((key) => chunks[key] ?? [])
  const script = chunks[ENTRY]?.file ?? ''
  return {
    script,
    styles: [...new Set(loaded.flatMap(({ css = [] }) => css))],
    preloads: loaded.map(({ file }) => file).filter((file) => file !== script),
  }
}
