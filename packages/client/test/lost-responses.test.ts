import { createClient, DaybookError, NetworkError } from '@daybook/client'
import { beforeEach, describe, expect, test } from 'vitest'
import { FaultyProxy } from '../../daybook/test/support/network/faulty-proxy.ts'
import { listen } from '../../daybook/test/support/network/listening.ts'
import { type Blog, blogFor } from './support/config.ts'

describe('when the response to a write is lost', () => {
  let proxy: FaultyProxy
  let posts: ReturnType<typeof clientFor>['collections']['posts']

  const clientFor = (port: number, token: string) =>
    createClient<Blog>({ baseUrl: `http://127.0.0.1:${port}`, token, retry: { minDelay: 1 } })

  beforeEach(async () => {
    const { url, service, ...listening } = await listen(blogFor([]))
    proxy = await FaultyProxy.to(Number(new URL(url).port))
    posts = clientFor(proxy.port, service.token).collections.posts
    return async () => {
      await proxy[Symbol.asyncDispose]()
      await listening[Symbol.asyncDispose]()
    }
  })

  const count = async (title: string): Promise<number> =>
    (await posts.findMany({ where: { title: { eq: title } }, limit: 0 })).total

  test('with an idempotency key, the entry is created once and returned', async () => {
    const cut = proxy.cutAt(/Letters/, 'delivered')
    const created = await posts.create({ title: 'Letters' }, { idempotencyKey: 'k-1' })
    await cut
    expect((await posts.findBySlug('letters'))?.id).toBe(created.id)
    expect(await count('Letters')).toBe(1)
  })

  test('without one, the write is not retried, although it may be stored', async () => {
    const cut = proxy.cutAt(/Letters/, 'delivered')
    await expect(posts.create({ title: 'Letters' })).rejects.toBeInstanceOf(NetworkError)
    await cut
    expect(await count('Letters')).toBe(1)
  })

  test('a conditional update that fails on a retry has the earlier failure as its cause', async () => {
    const created = await posts.create({ title: 'Letters', words: 1 })
    const cut = proxy.cutAt(/"words":2/, 'delivered')
    const error = await posts.update(created, { words: 2 }, { idempotencyKey: 'k-1' }).catch((failure) => failure)
    await cut
    expect(error).toBeInstanceOf(DaybookError)
    expect([error.code, error.cause instanceof NetworkError]).toEqual(['PRECONDITION_FAILED', true])
    expect((await posts.findById(created.id))?.words).toBe(2)
  })

  test('an unconditional update succeeds on a retry', async () => {
    const { id } = await posts.create({ title: 'Letters', words: 1 })
    const cut = proxy.cutAt(/"words":2/, 'delivered')
    expect((await posts.update(id, { words: 2 }, { idempotencyKey: 'k-1' })).words).toBe(2)
    await cut
  })
})
