import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { ENCODED_ENDINGS, findDocsSources } from '../../packages/daybook/src/http/docs/docs-files.ts'

/** The highest quality, 11, takes twice as long and saves 1 to 2 percent. */
const BROTLI_QUALITY = 10

/** The encodings of the docs page's files in the published package. */
const COMPRESS: Readonly<Record<keyof typeof ENCODED_ENDINGS, (content: Buffer) => Promise<Buffer>>> = {
  br: (content) =>
    promisify(brotliCompress)(content, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
      },
    }),
  gzip: (content) => promisify(gzip)(content, { level: 9 }),
}

/** The reference of a script to its source map, which is not served. */
const SOURCE_MAP = /\n\/\/# sourceMappingURL=.*\s*$/

/** Writes the files of the docs page to a folder of the built package, compressed. */
export async function buildDocsPage(target: string): Promise<void> {
  for (const [name, path] of await findDocsSources()) {
    const content = Buffer.from((await readFile(path, 'utf8')).replace(SOURCE_MAP, '\n'))
    await mkdir(dirname(join(target, name)), { recursive: true })
    const encodings = Object.keys(ENCODED_ENDINGS) as readonly (keyof typeof ENCODED_ENDINGS)[]
    await Promise.all(
      encodings.map(async (encoding) =>
        writeFile(join(target, `${name}${ENCODED_ENDINGS[encoding]}`), await COMPRESS[encoding](content)),
      ),
    )
  }
}
