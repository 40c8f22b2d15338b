// Which addresses a webhook may have.
import { expect, test } from 'vitest'
import { checkUrl, guardedLookup, isPrivate } from '../../src/alerts/webhook/address.js'

test.each([
  '127.0.0.1',
  '127.255.255.254',
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '224.0.0.1',
  '255.255.255.255',
  '::1',
  '::',
  '::ffff:127.0.0.1',
  '::ffff:8.8.8.8',
  '::ffff:0:127.0.0.1',
  '2001::1',
  '3fff::1',
  '192.88.99.1',
  '64:ff9b::7f00:1',
  'fc00::1',
  'fd12:3456::1',
  'fe80::1',
  'fe80::1%eth0',
  'ff02::1',
  '1::1',
  '4000::1',
  '1fff:ffff::1',
  '8000::1',
  'e000::1',
  '5f00::1',
  '100::1',
  '2001:db8::1',
  '2002:7f00:1::1',
  'not an address',
])('%s is private', (address) => expect(isPrivate(address)).toBe(true))

test.each([
  '8.8.8.8',
  '172.15.0.1',
  '172.32.0.1',
  '100.63.0.1',
  '1.1.1.1',
  '2606:4700:4700::1111',
  '2a00:1450::1',
  '2001:4860:4860::8888',
])('%s is public', (address) => expect(isPrivate(address)).toBe(false))

test.each([
  'http://127.0.0.1/',
  'http://2130706433/',
  'http://0x7f.1/',
  'http://0177.0.0.1/',
  'http://localhost:9/',
  'http://a.localhost/',
  'http://localhost./',
  'http://a.localhost.:9/',
  'http://[::1]/',
  'http://[::ffff:7f00:1]/',
  'http://[1::1]/',
  'http://[4000::1]/',
  'https://169.254.169.254/latest',
])('%s is refused, and taken if private addresses are allowed', (url) => {
  expect(() => checkUrl(url, false)).toThrow(/TESSERA_WEBHOOK_PRIVATE/)
  expect(checkUrl(url, true).href).not.toBe('')
})

test.each([
  'http://example.com/\r\nX: y',
  'ftp://example.com/',
  'file:///etc/passwd',
  'example.com',
  'https://user:pw@example.com/',
  'https://',
])('%s is no address of a webhook', (url) => expect(() => checkUrl(url, true)).toThrow(/^url must/))

test('a name with public and private addresses is reached at the public ones only', () => {
  const found = [
    { address: '10.0.0.1', family: 4 },
    { address: '8.8.8.8', family: 4 },
  ]
  const seen: unknown[] = []
  const lookup = guardedLookup(false, (_host, done) => done(null, found))
  lookup('example.com', { all: true }, (error, addresses) => seen.push([error, addresses]))
  lookup('example.com', {}, (error, address, family) => seen.push([error, address, family]))
  expect(seen).toEqual([
    [null, [{ address: '8.8.8.8', family: 4 }]],
    [null, '8.8.8.8', 4],
  ])
})
