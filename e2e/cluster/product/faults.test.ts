// A mixed load through the gateway while something befalls a node: nothing that was acknowledged is lost, nothing that was refused
// has taken effect, and the gateway goes on without a restart. Prints the longest stall of the load.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createNamespace } from '../../gateway/client.ts'
import { type Gateway, newHome, removeHome } from '../../gateway/gateway.ts'
import { faults, onCluster, points, reunited, startGatewayOfCluster } from './cluster.ts'
import { Load, type Told } from './load.ts'

const seed = Number(process.env['TESSERA_SEED'] ?? Date.now() % 2 ** 31)
const STANDS_MS = 10_000
const home = newHome()
let gateway: Gateway

beforeAll(async () => {
  gateway = await startGatewayOfCluster(home)
})
afterAll(async () => {
  await gateway.stop()
  removeHome(home)
})

const say = (
  phase: string,
  { acknowledged, read, refused, uncertain, stallMs, stallAfterMs, slowestMs }: Told,
): void => {
  const told = `${acknowledged} writes acknowledged, ${read} reads, ${refused} refused, ${uncertain} uncertain`
  const stall = `longest stall ${stallMs.toFixed(0)} ms, ${(stallAfterMs / 1000).toFixed(1)} s after the line above`
  process.stdout.write(`${phase}: ${told}; ${stall}; slowest ${slowestMs.toFixed(0)} ms\n`)
}

test.runIf(points.length >= 3).each([
  ['killed', () => faults.killed(3)],
  ['stopped', () => faults.stopped(2, STANDS_MS)],
  ['cut-off', () => faults.cutOff(STANDS_MS)],
  [
    'restarted',
    async (load: Load) => {
      for (const number of [1, 2, 3]) {
        await faults.ended(number)
        say(`restarted, node ${number} ended`, load.take())
        await faults.started()
        say(`restarted, node ${number} started`, load.take())
        await reunited(gateway, 'restarted')
        say(`restarted, node ${number} known to all`, load.take())
      }
    },
  ],
] as [string, (load: Load) => Promise<void>][])(
  `no acknowledged write is lost while a node is %s (TESSERA_SEED=${seed})`,
  async (name, happens) => {
    await createNamespace(gateway, onCluster(name))
    const load = new Load(gateway, name, seed)
    try {
      await load.goesOn(1000)
      say(`${name}, before`, load.take())
      await happens(load)
      await load.goesOn(500)
      say(`${name}, meanwhile`, load.take())
      await reunited(gateway, name)
      await load.goesOn(500)
      say(`${name}, afterwards`, load.take())
    } finally {
      await load.end()
    }
    const { records, uncertain, inForce } = await load.verify()
    expect(records).toBeGreaterThan(0)
    process.stdout.write(`${name}: ${records} records read; ${inForce} of ${uncertain} uncertain writes are in force\n`)
  },
)
