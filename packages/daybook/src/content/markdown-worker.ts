import { answerTasks } from '../threads/answer-tasks.ts'
import { renderMarkdown } from './markdown.ts'

answerTasks(renderMarkdown)
