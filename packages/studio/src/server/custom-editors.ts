import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { PluginRoute } from 'daybook'

/** The module of an editor, as it is served. */
interface EditorFile {
  readonly type: string
  readonly path: string
  readonly content: Uint8Array<ArrayBuffer>
}

/** Loads the modules of editors, whose paths contain a hash of the content. */
export async function loadEditors(
  studioPath: string,
  editors: Readonly<Record<string, URL>>,
): Promise<readonly EditorFile[]> {
  return Promise.all(
    Object.entries(editors).map(async ([type, file]) => {
      const content = await readFile(file)
      const digest = createHash('sha256').update(content).digest('hex').slice(0, 8)
      return { type, path: `${studioPath}/editors/${type}.${digest}.js`, content }
    }),
  )
}

/** Makes routes that serve the modules of editors from the Studio's origin. */
export const makeEditorRoutes = (files: readonly EditorFile[]): readonly PluginRoute[] =>
  files.map(({ type, path, content }) => ({
    method: 'GET',
    path,
    operationId: `getStudioEditorOf${type.charAt(0).toUpperCase()}${type.slice(1)}`,
    summary: `Sends the Studio's editor of ${type} fields.`,
    protection: 'public',
    responses: { 200: { description: 'An ES module.', mediaType: 'text/javascript', schema: { type: 'string' } } },
    run: () =>
      new Response(content, {
        headers: {
          'Content-Type': 'text/javascript; charset=utf-8',
          'Cache-Control': 'public, max-age=31536000, immutable',
        },
      }),
  }))

/** Returns the paths of modules by field type. */
export const getEditorPaths = (files: readonly EditorFile[]): Readonly<Record<string, string>> =>
  Object.fromEntries(files.map(({ type, path }) => [type, path]))
