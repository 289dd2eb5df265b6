import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { StartupError } from 'daybook'

/** A chunk in Vite's manifest. */
interface Chunk {
  readonly file: string
  readonly css?: readonly string[]
  /** Keys of the chunks that it imports. */
  readonly imports?: readonly string[]
}

/** The files that a page links, relative to their folder. */
export interface PageFiles {
  readonly script: string
  readonly styles: readonly string[]
  /** Scripts that `script` imports. */
  readonly preloads: readonly string[]
}

export interface BuiltFiles {
  /** Absolute. */
  readonly folder: string
  /** @param language the language whose texts the page needs */
  getPageFiles(language: string): PageFiles
}

const ENTRY = 'src/app/main.tsx'
const MANIFEST = '.vite/manifest.json'

/** Next to this folder in the published package, in `dist` in a checkout. */
const FOLDERS = ['../app', '../../dist/app'].map((path) => fileURLToPath(new URL(path, import.meta.url)))

/** @throws {StartupError} if the program is not built */
export async function openBuiltFiles(): Promise<BuiltFiles> {
  const folder = FOLDERS.find((path) => existsSync(join(path, MANIFEST)))
  if (folder === undefined) throw new StartupError('The Studio is not built. Run: npm run prepare')
  const chunks: Readonly<Record<string, Chunk>> = JSON.parse(await readFile(join(folder, MANIFEST), 'utf8'))
  const files = new Map(LANGUAGES.map((language) => [language, findPageFiles(chunks, language)]))
  return { folder, getPageFiles: (language) => files.get(language) ?? findPageFiles(chunks, DEFAULT_LANGUAGE) }
}

const DEFAULT_LANGUAGE = 'en'

/** The languages of the Studio, the default one first. */
export const LANGUAGES: readonly string[] = [DEFAULT_LANGUAGE, 'de']

function findPageFiles(chunks: Readonly<Record<string, Chunk>>, language: string): PageFiles {
  const needed = new Set([ENTRY, `src/app/messages/${language}.ts`])
  // The loop also visits keys that it adds.
  for (const key of needed) for (const imported of chunks[key]?.imports ?? []) needed.add(imported)
  const loaded = [...needed].flatMap((key) => chunks[key] ?? [])
  const script = chunks[ENTRY]?.file ?? ''
  return {
    script,
    styles: [...new Set(loaded.flatMap(({ css = [] }) => css))],
    preloads: loaded.map(({ file }) => file).filter((file) => file !== script),
  }
}
