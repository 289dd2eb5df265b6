import { serve } from 'daybook/node'
import { createTestService } from 'daybook/testing'
import { expect, test } from 'vitest'
import { small } from '../../support/configs/configs.ts'
import { exchange, requestText } from '../../support/network/raw-http.ts'
import { expectQuietProcess } from '../../support/scenarios/sane.ts'

const CLOSE = 'Connection: close'

/** Creates a log that throws while `isBroken` is set. */
function createBreakableLog() {
  const state = { isBroken: false }
  const write = (): void => {
    if (state.isBroken) throw new Error('The disk is full.')
  }
  return { state, log: { info: write, warn: write, error: write, requests: true } }
}

test.each([
  ['a read', 'GET /api/notes?limit=0'],
  ['a cached read', 'GET /api/notes?limit=1'],
  ['an error', 'GET /api/nothing'],
])('%s returns 500 if the log throws, and the service keeps running', async (_name, line) => {
  const { state, log } = createBreakableLog()
  const server = await serve(await createTestService(small, { log }), { port: 0 })
  const sendRequest = async (): Promise<number | undefined> =>
    (await exchange(server.port, requestText(line, [CLOSE])))[0]?.status
  // The third request gets the cached response.
  const usualStatus = [await sendRequest(), await sendRequest(), await sendRequest()][2]
  state.isBroken = true
  expect(await sendRequest()).toBe(500)
  state.isBroken = false
  expect(await sendRequest()).toBe(usualStatus)
  await server.stop(100)
  await expectQuietProcess()
})
