import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { commandsFor } from './support/commands.ts'
import { SavingRun } from './support/saving-run.ts'
import { SavingWorld } from './support/saving-world.ts'

/** For more runs with another seed: `SAVING_RUNS=1000 SAVING_SEED=7 npx vitest run packages/studio/test/saving/nothing-is-lost.test.ts`. */
const numRuns = Number(process.env.SAVING_RUNS ?? 60)
const seed = Number(process.env.SAVING_SEED ?? 20)

/** Commands that could empty a required field, or act as another user. */
const EXCLUDED: ReadonlySet<string> = new Set(['undo', 'outside'])

let world: SavingWorld
beforeAll(async () => {
  world = await SavingWorld.open()
})
afterAll(() => world[Symbol.asyncDispose]())

test('despite any failure, each edit is stored, shown in a conflict, replaced by someone who saw it, or rejected in a decision', async () => {
  await fc.assert(
    fc.asyncProperty(commandsFor(3, 60), async (commands) => {
      const { id } = await world.pages.create({ title: 't1', tags: ['a', 'b'], parts: [{ _type: 'text', body: 'a' }] })
      const shared = world.browser()
      const run = await SavingRun.begin(world, [shared, shared, world.browser()], { id })
      for (const command of commands) await run.carryOut(command)
      await run.end()
      await run.check()
    }),
    { seed, numRuns },
  )
})

test('despite any failure, a new entry is created once with every edit, and its only editor gets no conflict', async () => {
  let count = 0
  await fc.assert(
    fc.asyncProperty(commandsFor(1, 30), async (commands) => {
      count += 1
      const before = (await world.pages.findMany({ limit: 0 })).total
      const run = await SavingRun.begin(world, [world.browser()], { newId: `new-${count}` })
      await run.carryOut({ kind: 'type', who: 0, leaf: 'title', at: 0 })
      for (const command of commands) if (!EXCLUDED.has(command.kind)) await run.carryOut(command)
      await run.end()
      await run.check()
      expect(run.conflicts).toBe(0)
      expect((await world.pages.findMany({ limit: 0 })).total).toBe(before + 1)
    }),
    { seed, numRuns },
  )
})
