import { hash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import type { DocsConfig } from '../../config/docs.ts'
import { DocsFiles } from './docs-files.ts'
import { docsHtml } from './docs-page.ts'

/** The docs page with the files that it names. */
export interface OpenDocs {
  readonly files: DocsFiles
  readonly html: string
  /** The entity tag of the page, with its quotes. */
  readonly tag: string
}

/** @param path where the page is */
export async function openDocs(docs: DocsConfig, path: string): Promise<OpenDocs> {
  const files = await DocsFiles.open(docs.logo && fileURLToPath(docs.logo))
  const html = docsHtml(docs, { folder: `${path}/${files.version}`, logo: files.logo })
  return { files, html, tag: `"${hash('sha256', html, 'base64url').slice(0, 22)}"` }
}
