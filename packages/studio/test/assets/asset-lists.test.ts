import fc from 'fast-check'
import { expect, test } from 'vitest'
import { moveFocalPoint, toFocalPoint } from '../../src/app/assets/details/focal-point.ts'
import { ASSET_KINDS, buildKindFilter, formatBytes, getAssetKind } from '../../src/app/assets/media/asset.ts'
import { buildAssetQuery, isAcceptedAsset, readAssetSearch } from '../../src/app/assets/media/asset-search.ts'
import {
  buildFolderFilter,
  getFolders,
  isFolderPath,
  readFolders,
  toFolderTree,
} from '../../src/app/assets/media/folders.ts'

interface Where {
  readonly mimeType?: { readonly startsWith: string }
  readonly or?: readonly Where[]
  readonly not?: Where
}

const holds = ({ mimeType, or, not }: Where, type: string): boolean =>
  (!mimeType || type.startsWith(mimeType.startsWith)) &&
  (!or || or.some((part) => holds(part, type))) &&
  (!not || !holds(not, type))

const TYPES = [
  'image/png',
  'image/svg+xml',
  'video/mp4',
  'audio/ogg',
  'text/plain',
  'application/pdf',
  'application/vnd.oasis.opendocument.text',
  'application/zip',
  'font/woff2',
  'application/octet-stream',
]

test('each media type belongs to one kind, and matches the filter of that kind only', () => {
  for (const type of TYPES) {
    const kinds = ASSET_KINDS.filter((kind) => holds(buildKindFilter(kind), type))
    expect([type, kinds]).toEqual([type, [getAssetKind(type)]])
  }
})

test('a URL is parsed into a search, and invalid parameters are dropped', () => {
  const search = { q: 'cat', kind: 'image', folder: 'images/2026', sort: '-size' }
  expect(readAssetSearch(search)).toEqual(search)
  expect(readAssetSearch({ q: '  ', kind: 'pictures', folder: '../etc', sort: 'sha256', other: 1 })).toEqual({})
  expect(buildAssetQuery({ kind: 'image', folder: 'a' })).toMatchObject({
    where: {
      and: [
        { mimeType: { startsWith: 'image/' } },
        { or: [{ directory: { eq: 'a' } }, { directory: { startsWith: 'a/' } }] },
      ],
    },
    sort: '-createdAt',
  })
  expect(buildAssetQuery({ q: 'cat' })).not.toHaveProperty('sort')
})

test('a field lists only the files that it accepts', () => {
  const constraints = { accept: ['image/*', 'application/pdf'], maxBytes: 100 }
  expect(buildAssetQuery({}, constraints)).toMatchObject({
    where: {
      and: [
        { or: [{ mimeType: { startsWith: 'image/' } }, { mimeType: { eq: 'application/pdf' } }] },
        { size: { lte: 100 } },
      ],
    },
  })
  const files = ['image/png', 'application/pdf', 'application/pdfx'].map((mimeType) => ({ mimeType, size: 100 }))
  expect(files.map((file) => isAcceptedAsset(constraints, file))).toEqual([true, true, false])
  expect(isAcceptedAsset(constraints, { mimeType: 'image/png', size: 101 })).toBe(false)
  expect(isAcceptedAsset({}, { mimeType: 'font/woff2', size: 1e9 })).toBe(true)
})

const SEGMENT = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,2}$/)
/** The directory of each file; several files may share one. */
const DIRECTORIES = fc.array(
  fc.array(SEGMENT, { minLength: 0, maxLength: 3 }).map((segments) => segments.join('/')),
  { maxLength: 300 },
)

const compareBytes = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Imitates the list request of the service. */
const makeList =
  (directories: readonly string[]) =>
  async (query: object): Promise<readonly string[]> => {
    const { where, limit } = query as {
      where: { directory: { startsWith?: string; gt: string } }
      limit: number
    }
    const { startsWith = '', gt } = where.directory
    return directories
      .filter((directory) => directory.startsWith(startsWith) && directory > gt)
      .sort(compareBytes)
      .slice(0, limit)
  }

test('the folders of a level are those with files in or below them, each once', async () => {
  const folder = fc.option(SEGMENT, { nil: undefined })
  await fc.assert(
    fc.asyncProperty(DIRECTORIES, folder, async (directories, inside) => {
      const prefix = inside === undefined ? '' : `${inside}/`
      const children = directories
        .filter((directory) => directory.startsWith(prefix) && directory.length > prefix.length)
        .map((directory) => directory.slice(prefix.length).split('/')[0])
      const { names, isPartial } = await readFolders(makeList(directories), inside)
      expect(isPartial).toBe(false)
      expect(names).toEqual([...new Set(children)].sort())
    }),
    { numRuns: 300 },
  )
})

test('a folder with thousands of files is skipped in two requests, and hides no sibling', async () => {
  const many = (directory: string): readonly string[] => Array<string>(5000).fill(directory)
  let requests = 0
  const list = makeList(['', ...many('many'), 'many-more', ...many('many/inside'), 'next', 'next/b'])
  const { names } = await readFolders((query) => {
    requests += 1
    return list(query)
  }, undefined)
  expect([names, requests]).toEqual([['many', 'many-more', 'next'], 3])
})

test('the folders of a level come from the directory counts if one response has all of them', () => {
  const tree = toFolderTree(['a', 'a/b/c', 'a-b', '', 'd/e'].map((value) => ({ value })))
  expect(getFolders(tree, undefined).names).toEqual(['a', 'a-b', 'd'])
  expect(getFolders(tree, 'a').names).toEqual(['b'])
  expect(getFolders(tree, 'd/e').names).toEqual([])
  expect(tree.isPartial).toBe(false)
  expect(toFolderTree(Array.from({ length: 1000 }, (_, at) => ({ value: `a${at}` }))).isPartial).toBe(true)
})

test('the filter of a folder lists its directories, or matches their prefix if there are too many', () => {
  const tree = toFolderTree(['a', 'a/c', 'a/b', 'a-b'].map((value) => ({ value })))
  expect(buildFolderFilter('a', tree)).toEqual({ directory: { in: ['a', 'a/b', 'a/c'] } })
  expect(buildFolderFilter('a-b', tree)).toEqual({ directory: { eq: 'a-b' } })
  const all = { or: [{ directory: { eq: 'a' } }, { directory: { startsWith: 'a/' } }] }
  expect(buildFolderFilter('a', { ...tree, isPartial: true })).toEqual(all)
  const long = Array.from({ length: 20 }, (_, at) => ({ value: `a/${at}${'x'.repeat(180)}` }))
  expect(buildFolderFilter('a', toFolderTree(long))).toEqual(all)
})

test('a folder path is valid if the service accepts it', () => {
  for (const folder of ['a', 'images/2026', 'a-b_c.d', 'a/b/c/d/e/f/g/h', 'x'.repeat(200)])
    expect([folder, isFolderPath(folder)]).toEqual([folder, true])
  for (const folder of ['', '/a', 'a/', 'a//b', '..', '.git', 'ä', 'a b', 'a\\b', 'a/b/c/d/e/f/g/h/i', 'x'.repeat(201)])
    expect([folder, isFolderPath(folder)]).toEqual([folder, false])
})

test('a focal point stays inside the image', () => {
  const box = { left: 10, top: 20, width: 200, height: 100 }
  expect(toFocalPoint({ clientX: 60, clientY: 45 }, box)).toEqual({ x: 0.25, y: 0.25 })
  expect(toFocalPoint({ clientX: -60, clientY: 450 }, box)).toEqual({ x: 0, y: 1 })
  expect(moveFocalPoint({ x: 0.5, y: 0.995 }, { key: 'ArrowDown', shiftKey: false })).toEqual({ x: 0.5, y: 1 })
  expect(moveFocalPoint({ x: 0.5, y: 0.5 }, { key: 'ArrowLeft', shiftKey: true })).toEqual({ x: 0.4, y: 0.5 })
  expect(moveFocalPoint({ x: 0.5, y: 0.5 }, { key: 'Enter', shiftKey: false })).toBeUndefined()
})

test('sizes are formatted with units', () => {
  expect([0, 999, 1400, 24_000_000].map((size) => formatBytes(size, 'en'))).toEqual([
    '0 bytes',
    '999 bytes',
    '1.4 kB',
    '24 MB',
  ])
  expect(formatBytes(1400, 'de')).toBe('1,4 kB')
})
