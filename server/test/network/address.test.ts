// The address that a request comes from: what proxies tell in other forms, and nothing that is no address.
import { expect, test } from 'vitest'
import { addressOf } from '../../src/network/address.js'

const socket = { remoteAddress: '127.0.0.1' } as Parameters<typeof addressOf>[0]['socket']

test.each([
  ['203.0.113.9', '203.0.113.9'],
  ['2001:db8::1', '2001:db8::1'],
  ['203.0.113.9:41234', '203.0.113.9'],
  ['[2001:db8::1]:41234', '2001:db8::1'],
  ['[2001:db8::1]', '2001:db8::1'],
  ['203.0.113.999:1', '127.0.0.1'],
  ['"203.0.113.9"', '127.0.0.1'],
  ['07.7.7.8', '127.0.0.1'],
  ['[zz]:1', '127.0.0.1'],
  ['user:admin did this', '127.0.0.1'],
  ['', '127.0.0.1'],
])('%j is %s', (ip, address) => {
  expect(addressOf({ ip, socket })).toBe(address)
})
