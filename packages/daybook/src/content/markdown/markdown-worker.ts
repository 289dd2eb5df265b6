import { workerData } from 'node:worker_threads'
import type { MarkdownConfig } from '../../config/config.ts'
import { answerTasks } from '../../threads/answer-tasks.ts'
import { markdownRenderer } from './markdown.ts'

answerTasks(markdownRenderer((workerData as { readonly config?: MarkdownConfig }).config))
