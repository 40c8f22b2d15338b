// The network that a request comes from, as far as guesses are counted.

/**
 * An IPv4 address, or the first 64 bits of an IPv6 address: whoever has one address of such a network can use them all.
 * Clients of a Unix socket have none, and are one.
 */
export function networkOf(address: string | undefined): string {
  if (address === undefined) return 'socket'
  if (!address.includes(':')) return address
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::')
  const groups = [head, tail ?? ''].map((part) => part.split(':').filter((group) => group !== ''))
  const [first = [], last = []] = groups
  const zeros = Array<string>(Math.max(0, 8 - first.length - last.length)).fill('0')
  const all = [...first, ...zeros, ...last].slice(0, 4)
  return `${all.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`
}
