import type { AccessWhere } from 'daybook'
import { CATEGORIES } from './text.ts'

/** A read rule, and how much more than none a list may cost with it. */
export interface Rule {
  readonly name: string
  readonly where: AccessWhere
  readonly most: number
}

/** What rules say, from the commonest to the hardest. */
export const RULES: readonly Rule[] = [
  { name: 'status eq', where: { status: { eq: 'published' } }, most: 1.2 },
  { name: 'category eq, an eighth', where: { category: { eq: CATEGORIES[0] ?? '' } }, most: 1.2 },
  { name: 'publishedOn gt, nearly all', where: { publishedOn: { gt: '1990-01-01' } }, most: 2 },
]
