import { expect, test } from 'vitest'
import { bind, difference } from './match.ts'

const RESPONSE = 'HTTP/1.1 200 OK\r\nETag: "a.yY65vQ1q"\r\n\r\n{"id":"01a1f9db-1363-73e8-8e16-a8f5d4c47a17","total":4}'

test('a response matches, whatever its ids and tags are', () => {
  const bindings = new Map<string, string>()
  const shown = 'HTTP/1.1 200 OK\netag: "1.AbCdEfGh"\n\n{\n  "id": "00000000-0000-7000-8000-000000000001",\n  …\n}'
  expect(difference(shown, RESPONSE, bindings)).toBeUndefined()
  expect(bind('/api/posts/00000000-0000-7000-8000-000000000001', bindings)).toBe(
    '/api/posts/01a1f9db-1363-73e8-8e16-a8f5d4c47a17',
  )
  expect(bind('If-Match: "1.AbCdEfGh"', bindings)).toBe('If-Match: "a.yY65vQ1q"')
})

test.each([
  ['another status', 'HTTP/1.1 201 Created'],
  ['a header that is not there', 'HTTP/1.1 200 OK\nLocation: /api/posts/x'],
  ['another value', 'HTTP/1.1 200 OK\n\n{ "id": "…", "total": 5 }'],
  ['a key that is not there', 'HTTP/1.1 200 OK\n\n{ "id": "…", "total": 4, "limit": 20 }'],
  ['an id that is none', 'HTTP/1.1 200 OK\n\n{ "id": "first", "total": 4 }'],
  ['a body that is not shown', 'HTTP/1.1 200 OK\n\n'],
])('a page with %s does not match', (_what, shown) => {
  expect(difference(shown, RESPONSE, new Map())).toBeTypeOf('string')
})

test('an id that a page shows twice is the same id', () => {
  const shown = '["00000000-0000-7000-8000-000000000001", "00000000-0000-7000-8000-000000000001"]'
  const [a, b] = ['01a1f9db-1363-73e8-8e16-a8f5d4c47a17', '01a1f9db-1363-73e8-8e16-a8f5d4c47a18']
  expect(difference(shown, JSON.stringify([a, a]), new Map())).toBeUndefined()
  expect(difference(shown, JSON.stringify([a, b]), new Map())).toBeTypeOf('string')
})
