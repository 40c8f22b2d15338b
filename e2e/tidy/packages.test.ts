import { expect, test } from 'vitest'
import { read } from './tree.ts'

interface Locked {
  engines?: { node?: string }
  resolved?: string
  link?: boolean
}

const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked> }

/** Whether a range of Node versions, as packages write them, takes this one. Ranges here are ORs of lower bounds and carets. */
function takes(range: string, [major, minor]: readonly [number, number]): boolean {
  return range.split('||').some((part) => {
    const bounds = [...part.matchAll(/(\^|~|>=|>)?\s*v?(\d+)(?:\.(\d+))?/g)]
    return (
      part.trim() === '*' ||
      bounds.some(([, operator = '', a = '0', b = '0']) => {
        const [lowest, least] = [Number(a), Number(b)]
        const above = major > lowest || (major === lowest && minor >= least)
        return operator.startsWith('>') ? above : major === lowest && above
      })
    )
  })
}

test('every package runs on the oldest Node that we promise', () => {
  const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } }
  const [major = 0, minor = 0] = engines.node.replace('>=', '').split('.').map(Number)
  const tooNew = Object.entries(packages)
    .filter(([, { engines: own }]) => own?.node !== undefined && !takes(own.node, [major, minor]))
    .map(([name]) => name)
  expect(tooNew).toEqual([])
})

test('the lockfile names no host', () => {
  const hosts = Object.entries(packages).filter(([, { resolved, link }]) => link !== true && resolved !== undefined)
  expect(hosts.map(([name]) => name)).toEqual([])
})

test('the README names the versions that are checked at start', () => {
  const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } }
  const rust = /rust-version = "([\d.]+)"/.exec(read('native/Cargo.toml'))?.[1]
  expect(read('README.md')).toContain(`${engines.node.replace('>=', '')} or newer and`)
  expect(read('README.md')).toContain(`${rust} or newer.`)
})
