import { workerData } from 'node:worker_threads'
import type { MarkdownConfig } from '../../config/config.ts'
import { handleTasks } from '../../threads/messages.ts'
import { createRenderMarkdown } from './markdown.ts'

handleTasks(createRenderMarkdown((workerData as { readonly config?: MarkdownConfig }).config))
