import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { TITLES } from '../src/api/problem-titles'

test('each code of an error has a title that other languages can say, and English says as the server', () => {
  const table = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8')
  const rows = [...table.matchAll(/`([a-z_0-9]+)` \| \d+ \| ([^|]+) \|/g)].map(([, code = '', title = '']) => [
    code,
    title,
  ])
  expect(rows.length).toBeGreaterThan(150)
  const own = ['gateway_unreachable', 'stream_broken']
  expect(Object.entries(TITLES).filter(([code]) => !own.includes(code))).toEqual(rows)
})
