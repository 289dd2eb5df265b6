import { glob, stat } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { type Page, proseOf } from '../markdown.ts'
import type { DocsFault } from '../named.ts'

const PICTURE = /!\[([^\]]*)\]\(([^)\s]+)\)/g
/** Pages with many pictures stay quick to load, and the repository small. */
export const MAX_PICTURE_BYTES = 60 * 1024

/** Pictures that no page shows, that are too large, or that a page shows without saying what they show. */
export async function checkPictures(root: string, pages: readonly Page[]): Promise<readonly DocsFault[]> {
  const shown = pages.flatMap(({ file, text }) =>
    [...proseOf(text).matchAll(PICTURE)].map(([, alt = '', link = '']) => ({
      file,
      alt,
      link,
      path: posix.join(posix.dirname(file), link),
    })),
  )
  const faults: DocsFault[] = shown
    .filter(({ alt }) => alt.trim() === '')
    .map(({ file, link }) => ({ file, message: `shows ${link} without saying what it shows.` }))
  const used = new Set(shown.map(({ path }) => path))
  for await (const path of glob('docs/pictures/**/*.*', { cwd: root })) {
    const file = path.replaceAll('\\', '/')
    if (!used.has(file)) faults.push({ file, message: 'is shown on no page. Show it, or delete it.' })
    const { size } = await stat(join(root, path))
    if (size > MAX_PICTURE_BYTES) faults.push({ file, message: `has more than ${MAX_PICTURE_BYTES} bytes.` })
  }
  return faults
}
