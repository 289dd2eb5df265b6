import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Compiled, Compiler } from '../support/compiler.ts'

const COMPANY =
  '{ readonly createdBy?: string | null | undefined; readonly updatedBy?: string | null | undefined; readonly id: string; readonly createdAt: string; readonly updatedAt: string; readonly name: string; readonly slug: string; readonly country: string | null; readonly staff: undefined; }'

/** The types of expressions as editors show them; declarations are printed in the same way. */
const SHOWN = [
  ["client.collections.companies.findBySlug('a')", `${COMPANY} | null`],
  [
    "books.findMany({ include: ['author'], select: ['title', 'author.name'] })",
    'import("daybook").ListResult<{ readonly id: string; readonly title: string; readonly author: { readonly id: string; readonly name: string; } | null; }>',
  ],
  [
    "books.findById('a', { include: ['author.employer'], select: ['author.employer'] })",
    `{ readonly id: string; readonly author: { readonly id: string; readonly employer: ${COMPANY} | null; } | null; } | null`,
  ],
] as const

/** The error of the compiler for a statement, and its suggestion. */
const FAULTS = [
  [
    "books.findMany({ select: ['titel'] })",
    `'"titel"' is not assignable to type '"author" | "authors" | `,
    `'"title"'?`,
  ],
  [
    "books.findMany({ include: ['autor'] })",
    `'"autor"' is not assignable to type '"alternates" | "author" | `,
    `'"author"'?`,
  ],
  [
    "books.findMany({ sort: '-titel' })",
    `'"-titel"' is not assignable to type '"-author" | "-createdAt" | `,
    `'"-title"'?`,
  ],
  ["books.findMany({ status: 'dratf' })", `'"dratf"' is not assignable to type`, `Did you mean '"draft"'?`],
  ["books.findMany({ where: { titel: { eq: 'A' } } })", "'titel' does not exist in type '{", "'title'?"],
  ["books.findMany({ where: { pages: { startsWith: 'A' } } })", "does not exist in type 'OrderFilter<number>'", ''],
  ["books.findMany({ where: { genre: { eq: 'poem' } } })", `is not assignable to type '"essay" | "novel"`, ''],
  ["books.findMany({ were: { title: { eq: 'A' } } })", "'were' does not exist in type '{ readonly ", "'where'?"],
  [
    "((query = { where: { titel: { eq: 'A' } } }) => books.findMany(query))()",
    "'{ where: { titel: { eq: string; }; }; }' is not assignable to parameter of type '{ readonly ",
    '',
  ],
  ["books.findMany({ locale: 'fr' })", `'"fr"' is not assignable to type '"all" | "de" | "en" | undefined'`, ''],
  ['client.collections.bookz', "Property 'bookz' does not exist", "Did you mean 'books'?"],
  [
    "books.create({ titel: 'A', author: 'a' })",
    "'titel' does not exist in type '{ readonly createdBy?: string",
    "'title'?",
  ],
  ["books.update('a', { pages: 'many' })", "Type 'string' is not assignable to type 'number'.", ''],
] as const

const HEAD = `import type { Client } from '@daybook/client'
import type { Library } from './showcase.ts'
declare const client: Client<Library>
const { books } = client.collections`.split('\n')

let compiled: Compiled

beforeAll(async () => {
  await using compiler = await Compiler.make()
  const shown = SHOWN.map(([expression], index) => `export const shown${index} = async () => ${expression}`)
  const faulty = FAULTS.map(([statement], index) => `export const faulty${index} = () => ${statement}`)
  const showcase = await readFile(join(import.meta.dirname, 'showcase.ts'), 'utf8')
  compiled = await compiler.compile([...HEAD, ...shown, ...faulty].join('\n'), { 'showcase.ts': showcase })
})

describe('a type is shown expanded', () => {
  test.each(SHOWN.map(([expression, type], index) => [expression, type, index] as const))('%s', (_, type, index) => {
    const [, shown = ''] =
      new RegExp(`shown${index}: \\(\\) => Promise<([\\s\\S]*?)>;\n`).exec(compiled.declarations) ?? []
    expect(shown.replaceAll(/\s+/g, ' ')).toBe(type)
  })
})

test('no error in a query mentions the config', () => {
  const messages = compiled.faults.map(([, message]) => message)
  expect(messages.filter((message) => message.includes('CollectionConfig<'))).toEqual([
    expect.stringContaining("Property 'bookz' does not exist"),
  ])
})

describe('an error uses the names of the config', () => {
  test.each(FAULTS.map(([...row], index) => [...row, index] as const))(
    '%s',
    (_, expectedMessage, suggestion, index) => {
      const line = HEAD.length + SHOWN.length + index + 1
      const messages = compiled.faults.filter(([at]) => at === line).map(([, message]) => message)
      expect(messages).toEqual([expect.stringContaining(expectedMessage)])
      expect(messages[0]).toContain(suggestion)
    },
  )
})
