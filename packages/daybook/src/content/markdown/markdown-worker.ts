import { workerData } from 'node:worker_threads'
import type { HtmlAllowance } from '../../config/config.ts'
import { answerTasks } from '../../threads/answer-tasks.ts'
import { markdownRenderer } from './markdown.ts'

answerTasks(markdownRenderer((workerData as { readonly allowHtml?: HtmlAllowance }).allowHtml))
