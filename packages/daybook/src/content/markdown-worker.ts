import { parentPort, workerData } from 'node:worker_threads'
import type { HtmlAllowance } from '../config/config.ts'
import { markdownRenderer } from './markdown.ts'

const renderMarkdown = markdownRenderer((workerData as { readonly allowHtml?: HtmlAllowance }).allowHtml)

/** What a worker answers: the HTML, or why there is none. */
export type RenderAnswer = { readonly html: string } | { readonly error: string }

parentPort?.on('message', (source: string) => parentPort?.postMessage(answer(source)))

function answer(source: string): RenderAnswer {
  try {
    return { html: renderMarkdown(source) }
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) }
  }
}
