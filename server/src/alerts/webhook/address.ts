// Which addresses a webhook may reach: checked after names are resolved, on the address that is connected to.
import { lookup as resolve, type LookupAddress } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { GatewayError } from '../../errors.js'
import { say, type Sentence } from '../../sentences/sentence.js'

// A list for each version: in one, addresses of IPv4 would also be looked up as `::ffff:0:0/96`.
const refused4 = new BlockList()
const refused6 = new BlockList()
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const)
  refused4.addSubnet(network, bits, 'ipv4')
const global6 = new BlockList()
global6.addSubnet('2000::', 3, 'ipv6')
// What is reserved within the addresses that IPv6 uses.
for (const [network, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  refused6.addSubnet(network, bits, 'ipv6')

/** Whether it is private, loopback, link-local or reserved: nothing a public receiver has. */
export function isPrivate(address: string): boolean {
  const plain = address.split('%')[0] ?? ''
  const version = isIP(plain)
  if (version === 0) return true
  return version === 4 ? refused4.check(plain, 'ipv4') : !global6.check(plain, 'ipv6') || refused6.check(plain, 'ipv6')
}

const refusal = (what: string): GatewayError =>
  new GatewayError(
    'alert_webhook_refused',
    say('{address} is a private, loopback, link-local or reserved address; TESSERA_WEBHOOK_PRIVATE allows them', {
      address: what,
    }),
    { field: 'url' },
  )

/** @throws GatewayError `field_invalid`, `alert_webhook_refused` */
export function checkUrl(text: string, allowPrivate: boolean): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const wrong = (rule: Sentence): GatewayError => new GatewayError('field_invalid', rule, { field: 'url' })
  // `URL` drops them without a word.
  if (/[\p{Cc}\s]/u.test(text)) throw wrong(say('url must have no spaces and no control characters'))
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw wrong(say('url must be an address that begins with https:// or http://'))
  if (url.username !== '' || url.password !== '') throw wrong(say('url must have no user name and no password'))
  // A name may end with the dot of the root.
  const host = hostOf(url).replace(/\.$/, '')
  if (!allowPrivate && (host === 'localhost' || host.endsWith('.localhost') || (isIP(host) !== 0 && isPrivate(host))))
    throw refusal(host)
  return url
}

/** Without the brackets of IPv6. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '')

export type Resolve = (host: string, done: (error: Error | null, addresses: LookupAddress[]) => void) => void

const system: Resolve = (host, done) => resolve(host, { all: true }, done)

/** Resolves names for a connection, and leaves out the addresses that it may not have. */
export function guardedLookup(allowPrivate: boolean, names: Resolve = system): LookupFunction {
  return (host, options, done) => {
    names(host, (error, addresses) => {
      if (error !== null) return done(error, [])
      const allowed = addresses.filter(({ address }) => allowPrivate || !isPrivate(address))
      const first = allowed[0]
      if (first === undefined) return done(refusal(`each address of ${host}`), [])
      if (options.all === true) return done(null, allowed)
      done(null, first.address, first.family)
    })
  }
}
