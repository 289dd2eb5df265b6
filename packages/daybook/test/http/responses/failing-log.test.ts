import { serve } from 'daybook/node'
import { createTestService } from 'daybook/testing'
import { expect, test } from 'vitest'
import { small } from '../../support/configs/configs.ts'
import { exchange, requestText } from '../../support/network/raw-http.ts'
import { expectQuietProcess } from '../../support/scenarios/sane.ts'

const CLOSE = 'Connection: close'

/** A log that fails while it is told to. */
function breakable() {
  const state = { isBroken: false }
  const write = (): void => {
    if (state.isBroken) throw new Error('The disk is full.')
  }
  return { state, log: { info: write, warn: write, error: write, requests: true } }
}

test.each([
  ['a read', 'GET /api/notes?limit=0'],
  ['a read that is answered from memory', 'GET /api/notes?limit=1'],
  ['a refusal', 'GET /api/nothing'],
])('where the log of %s fails, its client learns that something did, and the service goes on', async (_name, line) => {
  const { state, log } = breakable()
  const server = await serve(await createTestService(small, { log }), { port: 0 })
  const ask = async (): Promise<number | undefined> =>
    (await exchange(server.port, requestText(line, [CLOSE])))[0]?.status
  // What is asked often is kept.
  const usual = [await ask(), await ask(), await ask()][2]
  state.isBroken = true
  expect(await ask()).toBe(500)
  state.isBroken = false
  expect(await ask()).toBe(usual)
  await server.stop(100)
  await expectQuietProcess()
})
