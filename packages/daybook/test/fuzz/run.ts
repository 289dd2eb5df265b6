import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

// npm run fuzz -- --examples 1000 --seed 7: sends that many valid and invalid requests to every operation of the OpenAPI document.
// Prints the seed, so that a run can be repeated.

const { values } = parseArgs({ options: { examples: { type: 'string' }, seed: { type: 'string' } } })
const { examples = '1000', seed = String(randomInt(2 ** 31)) } = values
for (const [name, value] of Object.entries({ examples, seed })) {
  if (!/^\d{1,9}$|^\d{10}$/.test(value)) throw new Error(`--${name} takes a whole number, such as --${name} 1000.`)
}

process.stdout.write(`${examples} requests of each kind to each operation; --seed ${seed} repeats this run\n`)
const vitest = fileURLToPath(new URL('../../../../node_modules/vitest/vitest.mjs', import.meta.url))
const child = spawn(process.execPath, [vitest, 'run', 'packages/daybook/test/fuzz'], {
  cwd: fileURLToPath(new URL('../../../..', import.meta.url)),
  env: { ...process.env, DAYBOOK_FUZZ_EXAMPLES: examples, DAYBOOK_FUZZ_SEED: seed },
  stdio: 'inherit',
})
child.once('exit', (code) => {
  process.exitCode = code ?? 1
})
