import { dirname, extname, join, relative, sep } from 'node:path'
import type { LocalesModel } from '../../../model/model.ts'
import { UsageError } from '../../command.ts'
import { markdownFiles } from './files.ts'

/** One entry's files: a single one, or one for each locale. */
export interface SourcePage {
  /** The source of the entry's slug: a path below the folder, or below that of the locale. */
  readonly name: string
  readonly files: readonly SourceFilePath[]
}

/** Where a file is, and in which locale it is written; `undefined`: in the config's. */
export interface SourceFilePath {
  readonly path: string
  readonly locale: string | undefined
}

/** Each file of a folder as an entry of its own. */
export function* singlePages(folder: string): Generator<SourcePage> {
  for (const path of markdownFiles(folder)) {
    yield { name: relative(folder, path), files: [{ path, locale: undefined }] }
  }
}

/**
 * The files of a folder with one folder for each locale: those that stand at the same place are one entry, the default
 * locale's first.
 *
 * @throws {UsageError} when a file stands in no locale's folder, or two of a locale at the same place
 */
export function localizedPages(folder: string, locales: LocalesModel | undefined): readonly SourcePage[] {
  if (!locales) throw new UsageError('--locale-folders needs a config with locales.')
  const byPlace = new Map<string, SourceFilePath[]>()
  for (const path of markdownFiles(folder)) {
    const [locale = '', ...place] = relative(folder, path).split(sep)
    if (place.length === 0 || !locales.available.includes(locale)) {
      const known = locales.available.join(', ')
      throw new UsageError(`${path} is in no folder of a locale. The config has: ${known}.`)
    }
    const key = withoutExtension(join(...place))
    const files = byPlace.get(key) ?? []
    const other = files.find((file) => file.locale === locale)
    if (other) throw new UsageError(`${path} stands for the same page as ${other.path}. Leave one of them out.`)
    byPlace.set(key, [...files, { path, locale }])
  }
  const places = [...byPlace.keys()]
  const taken = Map.groupBy(places, shortName)
  return places.map((place) => {
    // Where places share a name, the whole way to it tells them apart.
    const isAlone = taken.get(shortName(place))?.length === 1
    const name = isAlone ? shortName(place) : longName(place)
    const files = (byPlace.get(place) ?? []).toSorted((one, other) => rank(locales, one) - rank(locales, other))
    return { name: `${name}.md`, files }
  })
}

const rank = (locales: LocalesModel, { locale }: SourceFilePath): number => (locale === locales.default ? 0 : 1)

const withoutExtension = (path: string): string => path.slice(0, path.length - extname(path).length)

/** `about` for `about/index`. */
const pagePath = (path: string): string => (/[\\/]index$/.test(path) ? dirname(path) : path)

const shortName = (path: string): string => pagePath(path).split(sep).at(-1) ?? path

const longName = (path: string): string => pagePath(path).split(sep).join('-')
