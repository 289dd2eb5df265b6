import { defineCollection, defineConfig, f } from 'daybook'
import { serve } from 'daybook/node'
import { createTestService } from 'daybook/testing'
import { describe, expect, test } from 'vitest'
import { getClientNetwork } from '../../src/auth/client-network.ts'
import { POLICY_STORES, type StoredService } from '../support/stores/stores.ts'
import { SLOW_MACHINE_LIMITS } from '../support/timeouts.ts'
import { Browser } from './browser.ts'

const MAX = 3
const config = defineConfig({
  collections: { notes: defineCollection({ fields: { title: f.text() } }) },
  limits: { ...SLOW_MACHINE_LIMITS, signInsPerMinute: MAX },
})

const statuses = async (tries: readonly (() => Promise<{ readonly status: number }>)[]): Promise<readonly number[]> => {
  const responses: number[] = []
  for (const attempt of tries) responses.push((await attempt()).status)
  return responses
}

const repeated = (times: number, status: number): readonly number[] => Array.from({ length: times }, () => status)

describe.each(POLICY_STORES)('attempts to sign in on $name', (store) => {
  const guess =
    (service: StoredService<typeof config>, address: string, headers = {}, path?: string) =>
    () =>
      path === undefined
        ? new Browser(service).login('ines@example.org', 'a guess', { address, headers })
        : new Browser(service).send(path, {
            json: { email: 'ines@example.org', password: 'a guess' },
            address,
            headers,
          })

  test('are counted by client, and rejected with 429 and Retry-After above the limit, on every route', async () => {
    await using service = await store.open<typeof config>(config)
    const address = '203.0.113.7'
    const tries = Array.from({ length: 6 }, (_, index) =>
      guess(service, address, { 'X-Forwarded-For': `198.51.100.${index}`, Forwarded: `for=198.51.100.${index}` }),
    )
    expect(await statuses(tries)).toEqual([...repeated(MAX, 401), 429, 429, 429])
    const paths = [
      '/api/auth/sign-in/email',
      '/api/auth//sign-in/email',
      '/api/auth/SIGN-IN/email',
      '/api/auth/sign-up/email',
    ]
    expect(await statuses(paths.map((path) => guess(service, address, {}, path)))).toEqual(repeated(4, 429))
    const register = () => new Browser(service).register('new@example.org', { address })
    expect(await statuses([register])).toEqual([429])
    const refused = await guess(service, address)()
    expect(JSON.parse(refused.text)).toMatchObject({ code: 'RATE_LIMITED' })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60)
  })

  test('of one client do not block other clients', async () => {
    await using service = await store.open<typeof config>(config)
    await statuses(Array.from({ length: 5 }, () => guess(service, '203.0.113.7')))
    await new Browser(service).register('ines@example.org', { address: '203.0.113.9' })
    expect(
      await statuses([() => new Browser(service).login(undefined, undefined, { address: '203.0.113.8' })]),
    ).toEqual([200])
    expect(await statuses([guess(service, '203.0.113.7')])).toEqual([429])
  })

  test('from one IPv6 network count as one client, in any spelling of the addresses', async () => {
    await using service = await store.open<typeof config>(config)
    const addresses = ['2001:db8:1:2::1', '2001:0DB8:0001:0002:0:0:0:2', '2001:db8:1:2:ffff::3', '2001:db8:1:2::4%eth0']
    expect(await statuses(addresses.map((address) => guess(service, address)))).toEqual([...repeated(MAX, 401), 429])
    expect(await statuses([guess(service, '2001:db8:1:3::1')])).toEqual([401])
  })

  test('are counted across all nodes of a store', async () => {
    await using place = await store.at()
    const nodes = await Promise.all([1, 2, 3].map(() => place.open(config)))
    const visitors = nodes.map((node) => new Browser(node))
    const tries = Array.from({ length: 6 }, (_, index) => () => {
      const visitor = visitors[index % visitors.length] as Browser
      return visitor.login('ines@example.org', 'a guess', { address: '203.0.113.7' })
    })
    expect(await statuses(tries)).toEqual([...repeated(MAX, 401), 429, 429, 429])
    for (const node of nodes) await node.close()
  })
})

describe('over a connection', () => {
  const login = (url: string, forwarded?: string) =>
    fetch(`${url}/api/cms/auth/actions/login`, {
      method: 'POST',
      body: new URLSearchParams({ email: 'a@example.org', password: 'a guess' }),
      headers: forwarded === undefined ? {} : { 'X-Forwarded-For': forwarded },
    })

  async function withServer(trustProxy: number, work: (url: string) => Promise<void>): Promise<void> {
    const service = await createTestService({ ...config, trustProxy })
    const { url, stop } = await serve(service, { port: 0 })
    try {
      await work(url)
    } finally {
      await stop(0)
      await service.close().catch(() => {})
    }
  }

  test('the client is the peer of the connection, and forwarding headers are ignored', () =>
    withServer(0, async (url) => {
      const tries = Array.from({ length: MAX + 1 }, (_, index) => () => login(url, `198.51.100.${index}`))
      expect(await statuses(tries)).toEqual([...repeated(MAX, 401), 429])
    }))

  test('behind a trusted proxy, the client is the last address that it added, and earlier ones are ignored', () =>
    withServer(1, async (url) => {
      const forged = Array.from({ length: MAX + 1 }, (_, index) => () => login(url, `192.0.2.${index}, 198.51.100.1`))
      expect(await statuses(forged)).toEqual([...repeated(MAX, 401), 429])
      expect(await statuses([() => login(url, '198.51.100.2')])).toEqual([401])
    }))
})

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::1', '0:0:0:0::/64'],
  ['2001:db8::', '2001:db8:0:0::/64'],
  [null, 'unknown'],
  ['somewhere', 'unknown'],
])('the network of %s is %s', (address, network) => {
  expect(getClientNetwork(address)).toBe(network)
})
