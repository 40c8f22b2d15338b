// Clients of two gateways that share a namespace read and write a few records as registers, with conditions and without, while
// something befalls one node after the other. Each record must have answered as one register would: linearizability.
//
// `TESSERA_EPOCHS` says how often, `TESSERA_SEED` what the clients do: a fault names both.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createNamespace } from '../../gateway/client.ts'
import { type Gateway, newHome, removeHome } from '../../gateway/gateway.ts'
import { check, History } from '../../gateway/history.ts'
import { Random } from '../../gateway/random.ts'
import { act, type Place, Uncertain } from '../../gateway/registers.ts'
import { faults, onCluster, points, reunited, startGatewayOfCluster } from './cluster.ts'

const epochs = Number(process.env['TESSERA_EPOCHS'] ?? 4)
const seed = Number(process.env['TESSERA_SEED'] ?? Date.now() % 2 ** 31)
const CLIENTS = 4
const KEYS = ['a', 'b', 'c', 'd']
/** A scan asks for every range of tokens. */
const SCAN_ONE_IN = 20
/** Operations between two things that happen. */
const BETWEEN = 300
const STANDS_MS = 3000

const homes = [newHome(), newHome()]
let gateways: Gateway[]

beforeAll(async () => {
  gateways = await Promise.all(homes.map(startGatewayOfCluster))
})
afterAll(async () => {
  await Promise.all(gateways.map((gateway) => gateway.stop()))
  homes.forEach(removeHome)
})

/** Acts until it is told to end. */
async function beClient(
  target: Gateway,
  place: Place,
  client: number,
  random: Random,
  end: AbortSignal,
): Promise<void> {
  while (!end.aborted) {
    try {
      await act(target, place, client, random)
    } catch (error) {
      // A scan that cannot go on breaks its answer off, and has read nothing.
      const broken = error instanceof TypeError && error.cause !== undefined
      if (!broken && !(error instanceof Uncertain)) throw error
    }
  }
}

test.runIf(points.length >= 3)(
  `records on a cluster are registers, whatever befalls its nodes (TESSERA_SEED=${seed})`,
  { timeout: 300_000 + epochs * 300_000 },
  async () => {
    const random = new Random(seed)
    const [one, other] = gateways as [Gateway, Gateway]
    await createNamespace(one, onCluster('registers'))
    await createNamespace(other, onCluster('registers', { attach: true }))
    let tick = 0
    const keys = new Map(KEYS.map((key) => [key, new History(() => (tick += 1))]))
    const place: Place = { path: '/api/v1/namespaces/registers', keys, scanOneIn: SCAN_ONE_IN }
    const end = new AbortController()
    const clients = Promise.all(
      gateways.flatMap((gateway, at) =>
        Array.from({ length: CLIENTS }, (_, n) =>
          beClient(gateway, place, at * CLIENTS + n, new Random(random.below(2 ** 31)), end.signal),
        ),
      ),
    )
    const goOn = async (from: number): Promise<void> => {
      await expect.poll(() => tick, { timeout: 180_000 }).toBeGreaterThan(from + 2 * BETWEEN)
    }
    const happens = async (): Promise<void> => {
      await goOn(0)
      for (let epoch = 0; epoch < epochs; epoch += 1) {
        const number = 1 + random.below(points.length)
        const fault = [faults.killed, faults.stopped, faults.cutOff][epoch % 3]
        if (fault === faults.killed) await faults.killed(number)
        else if (fault === faults.stopped) await faults.stopped(number, STANDS_MS)
        else await faults.cutOff(STANDS_MS)
        await goOn(tick)
      }
    }
    try {
      // A client that fails ends the test at once.
      await Promise.race([happens(), clients.then(() => Promise.reject(new Error('the clients ended')))])
    } finally {
      end.abort()
      await clients
    }
    let [asked, open] = [0, 0]
    for (const [key, { operations }] of keys) {
      expect(check(operations, [undefined], true).length, key).toBeGreaterThan(0)
      asked += operations.length
      open += operations.filter(({ outcome }) => outcome === undefined).length
    }
    process.stdout.write(`histories: ${asked} operations, ${open} with an unknown outcome, ${epochs} faults\n`)
    for (const gateway of gateways) await reunited(gateway, 'registers')
  },
)
