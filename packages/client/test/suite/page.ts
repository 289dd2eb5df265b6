import { CASES } from './index.ts'
import { COOKIES } from './sessions.ts'
import { type Places, worldOf } from './test-context.ts'

/** Runs the case of a name; what the page is asked to do. */
async function runCase(name: string, places: Places): Promise<void> {
  const found = [...CASES, ...COOKIES].find((one) => one.name === name)
  if (!found) throw new Error(`There is no case "${name}".`)
  await found.run(worldOf(places))
}

Object.assign(globalThis, { runCase })
