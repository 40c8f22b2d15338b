import { spawnSync } from 'node:child_process'
import { createReadStream, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, createNamespace, finish, type Job, lines } from '../gateway/client.ts'
import { type Gateway, newHome, removeHome, startGateway } from '../gateway/gateway.ts'
import { bash } from '../gateway/shell.ts'
import { contains, type Json } from '../gateway/contains.ts'

// Data that nobody here wrote: the package list of the Debian system that runs this test.

const wanted = 60_000
const script = fileURLToPath(new URL('../packages-to-ndjson.mjs', import.meta.url))
const hasApt = spawnSync('apt-cache', ['--version']).status === 0
if (!hasApt) console.warn('packages.test.ts is skipped: this system has no apt-cache, so no package list to load')

interface Package {
  package: string
  about: Record<string, Json>
}

const home = newHome()
const file = join(home, 'packages.ndjson')
let gateway: Gateway
let packages: Package[]

async function writePackages(): Promise<number> {
  await bash(`apt-cache dumpavail | node ${script} ${wanted} > ${file}`, { cwd: home })
  packages = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Package)
  return packages.length
}

describe.runIf(hasApt)('the package list of this machine', () => {
  beforeAll(async () => {
    if ((await writePackages()) < wanted) {
      // A system that never asked for its lists has a few hundred lines; as root they can be had.
      await bash('apt-get update', { cwd: home })
      await writePackages()
    }
    gateway = await startGateway(home)
    await createNamespace(gateway, { name: 'debian', storage: { engine: 'memory' } })
  })

  afterAll(async () => {
    await gateway.stop()
    removeHome(home)
  })

  test('is imported whole', async () => {
    expect(packages.length).toBe(wanted)
    const body = Readable.toWeb(createReadStream(file)) as ReadableStream
    const response = await fetch(`${gateway.url}/api/v1/namespaces/debian/import?set=packages&key=package&threads=2`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.token}`, 'content-type': 'application/x-ndjson' },
      body,
      duplex: 'half',
    } as RequestInit)
    const text = await response.text()
    expect(response.ok, text).toBe(true)
    const size = await call<{ records: number }>(gateway, 'GET', '/api/v1/namespaces/debian/size?set=packages')
    expect(size.records).toBe(wanted)
  })

  test('is indexed with two threads', async () => {
    const spec = { name: 'about', set: 'packages', bin: 'about', kind: 'document', threads: 2 }
    const job = await call<Job>(gateway, 'POST', '/api/v1/namespaces/debian/indexes', spec)
    expect((await finish(gateway, job)).state).toBe('done')
  })

  test.each<[string, Json]>([
    ['one section', { Section: 'python' }],
    ['an exact dependency in a list', { Depends: ['libc6'] }],
    ['two dependencies in any order', { Depends: ['zlib1g (>= 1:1.2.0)', 'libx11-6'] }],
    ['a tag and an architecture', { Architecture: 'all', Tag: ['role::program'] }],
    ['a number', { 'Installed-Size': 100 }],
    ['every package', {}],
    ['nothing', { Section: 'no-such-section' }],
  ])('%s: the answer is the one of a plain loop', async (_, value) => {
    const query = { set: 'packages', where: { bin: 'about', op: 'contains', value }, select: ['package'] }
    const found = await lines<{ bins: { package: string } }>(gateway, 'POST', '/api/v1/namespaces/debian/query', query)
    const byLoop = packages.filter(({ about }) => contains(about, value)).map((row) => row.package)
    expect(found.map(({ bins }) => bins.package).sort()).toEqual(byLoop.sort())
  })

  test('one package reads back as it went in', async () => {
    const row = packages[4711]
    const path = `/api/v1/namespaces/debian/sets/packages/records/${encodeURIComponent(row?.package ?? '')}`
    const record = await call<{ bins: Package }>(gateway, 'GET', path)
    expect(record.bins).toEqual(row)
  })
})
