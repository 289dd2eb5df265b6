import { afterAll, beforeAll, expect, test } from 'vitest'
import { Compiler } from '../support/compiler.ts'

let compiler: Compiler

beforeAll(async () => {
  compiler = await Compiler.make()
})
afterAll(() => compiler[Symbol.asyncDispose]())

const COLLECTIONS = 30

/** A config of 30 collections, each with a dozen fields, of which three lead to other collections and one to itself. */
const CONFIG = `import { defineCollection, defineConfig, f } from 'daybook'
${Array.from({ length: COLLECTIONS }, (_, n) => {
  const to = (step: number): string => `c${(n + step) % COLLECTIONS}`
  return `const c${n} = defineCollection({ fields: {
  title: f.text({ required: true }), slug: f.slug({ from: 'title' }), status: f.status(), body: f.markdown(),
  words: f.integer(), day: f.date(), kind: f.select({ options: ['a', 'b'] }), kinds: f.select({ options: ['a', 'b'], many: true }),
  one: f.relation('${to(1)}'), many: f.relation('${to(7)}', { many: true }), own: f.relation('${to(0)}'),
  meta: f.group({ label: f.text(), editor: f.relation('${to(13)}') }),
} })`
}).join('\n')}
export const config = defineConfig({ collections: { ${Array.from({ length: COLLECTIONS }, (_, n) => `c${n}`).join(', ')} } })
export type Config = typeof config
`

/** Reads and writes one collection in every way. */
const uses = (key: string): string => `
  {
    const { items } = await client.collections.${key}.findMany({
      where: { title: { startsWith: 'A' }, 'one.words': { gt: 5 }, or: [{ kind: { eq: 'a' } }] },
      sort: ['-day', 'meta.label'], include: ['one', 'many.own'], select: ['title', 'one.title'],
    })
    const deep = await client.collections.${key}.findBySlug('a', { depth: 3 })
    const made = await client.collections.${key}.create({ title: 'A' })
    await client.collections.${key}.update(made, { words: 5 })
    seen.push(items[0]?.one?.title, deep?.one?.one?.own?.title)
  }`

const program = (keys: readonly string[]): string => `import { type Client } from '@daybook/client'
import type { Config } from './config.ts'
export async function use(client: Client<Config>, seen: unknown[]): Promise<void> {${keys.map(uses).join('')}
}
`

test('the types of a config of 30 collections stay cheap', async () => {
  const all = Array.from({ length: COLLECTIONS }, (_, n) => `c${n}`)
  const floor = await compiler.compile(`import './config.ts'\nimport '@daybook/client'\n`, { 'config.ts': CONFIG })
  const one = await compiler.compile(program(['c0']))
  const every = await compiler.compile(program(all))
  expect([...floor.faults, ...one.faults, ...every.faults]).toEqual([])
  expect(one.instantiations - floor.instantiations, 'instantiations for one collection').toBeLessThan(50_000)
  expect(every.instantiations - floor.instantiations, 'instantiations for all of them').toBeLessThan(350_000)
})
