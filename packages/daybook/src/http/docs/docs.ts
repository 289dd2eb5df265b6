import { fileURLToPath } from 'node:url'
import type { DocsConfig } from '../../config/docs.ts'
import { DocsFiles } from './docs-files.ts'
import { docsHtml } from './docs-page.ts'

/** The docs page with the files that it names. */
export interface OpenDocs {
  readonly files: DocsFiles
  /** The page as HTML, whose script has the nonce of its policy. */
  html(nonce: string): string
}

/** @param path where the page is */
export async function openDocs(docs: DocsConfig, path: string): Promise<OpenDocs> {
  const files = await DocsFiles.open(docs.logo && fileURLToPath(docs.logo))
  const folder = `${path}/${files.version}`
  return { files, html: (nonce) => docsHtml(docs, { folder, logo: files.logo, nonce }) }
}
