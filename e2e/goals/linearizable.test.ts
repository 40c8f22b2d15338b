import { EventEmitter, once } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { createNamespace } from '../gateway/client.ts'
import { type Gateway, newHome, removeHome, startGateway } from '../gateway/gateway.ts'
import {
  check,
  Fault,
  History,
  listOf,
  type Operation,
  type Outcome,
  type State,
  type Step,
} from '../gateway/history.ts'
import { Random } from '../gateway/random.ts'
import { act, perform, type Place, Uncertain } from '../gateway/registers.ts'

// Clients read and write a few records as registers, with conditions and without, while the gateway is killed again and
// again. Each record must have answered as one register would: nothing acknowledged is lost, nothing read is taken back.
//
// `TESSERA_EPOCHS` says how often the gateway ends, `TESSERA_SEED` what the clients do: a fault names both.

const epochs = Number(process.env['TESSERA_EPOCHS'] ?? 3)
const seed = Number(process.env['TESSERA_SEED'] ?? Date.now() % 2 ** 31)
const CLIENTS = 8
const ENGINES = ['device', 'paged']
const KEYS = ['a', 'b', 'c', 'd']

const home = newHome()
let gateway: Gateway | undefined

afterAll(async () => {
  await gateway?.stop('SIGKILL')
  removeHome(home)
})

/** Acts until the gateway is gone. */
async function beClient(
  target: Gateway,
  place: Place,
  client: number,
  random: Random,
  acted: () => void,
): Promise<void> {
  for (;;) {
    try {
      await act(target, place, client, random)
    } catch (error) {
      // The connection is gone with the gateway.
      if (error instanceof TypeError && error.cause !== undefined) return
      if (!(error instanceof Uncertain)) throw error
    }
    acted()
  }
}

/** What was done with a record from a start of the gateway to its end, and the states in which it may be then. */
interface Epoch {
  readonly operations: readonly Operation[]
  readonly signal: string
  readonly states: readonly State[]
}

/** From a start of the gateway to its end, by record. */
async function epoch(target: Gateway, random: Random, before: ReadonlyMap<string, Epoch>): Promise<Map<string, Epoch>> {
  let [tick, acts] = [0, 0]
  const history = (key: string): [string, History] => [key, new History(() => (tick += 1))]
  const places = ENGINES.map((engine) => ({ path: `/api/v1/namespaces/${engine}`, keys: new Map(KEYS.map(history)) }))
  const told = new EventEmitter()
  const enough = once(told, 'enough')
  const wanted = 100 + random.below(600)
  const acted = (): void => {
    acts += 1
    if (acts === wanted) told.emit('enough')
  }
  const clients = places.flatMap((place) =>
    Array.from({ length: CLIENTS }, (_, n) => beClient(target, place, n, new Random(random.below(2 ** 31)), acted)),
  )
  await Promise.race([enough, Promise.all(clients)])
  // Now, or a little later: each time at another point of what the gateway does.
  for (let left = random.below(40); left > 0; left -= 1) await setImmediate()
  // One in five ends in order.
  const signal = random.below(5) === 0 ? 'SIGTERM' : 'SIGKILL'
  await target.stop(signal)
  await Promise.all(clients)
  const records = places.flatMap(({ path, keys }) =>
    [...keys].map(([key, { operations }]) => [`${path}/${key}`, operations] as const),
  )
  return new Map(
    records.map(([name, operations]) => {
      return [name, { operations, signal, states: checked(name, operations, before.get(name)) }]
    }),
  )
}

function checked(name: string, operations: readonly Operation[], before: Epoch | undefined): State[] {
  try {
    return check(operations, before?.states ?? [undefined])
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    const earlier = before === undefined ? '' : `\nbefore the ${before.signal}:\n${listOf(before.operations)}`
    throw new Error(`${name}: ${error.message}${earlier}`, { cause: error })
  }
}

test(
  `records are registers, however often the gateway is killed (TESSERA_SEED=${seed})`,
  { timeout: 600_000 + epochs * 60_000 },
  async () => {
    const random = new Random(seed)
    gateway = await startGateway(home)
    for (const engine of ENGINES)
      await createNamespace(gateway, { name: engine, storage: { engine }, durability: 'commit', segments: 4 })
    let ended = new Map<string, Epoch>()
    for (let round = 0; round < epochs; round += 1) {
      ended = await epoch(gateway, random, ended).catch((error: Error) => {
        throw new Error(`epoch ${round} of TESSERA_SEED=${seed}: ${error.message}`, { cause: error })
      })
      gateway = await startGateway(home)
    }
    // What is there in the end is what may be.
    for (const [name, before] of ended) {
      const at = name.lastIndexOf('/')
      const path = `${name.slice(0, at)}/sets/r/records/${name.slice(at + 1)}`
      const outcome = await perform(gateway, path, { kind: 'read' })
      const last: Operation = { id: 1, client: 0, step: { kind: 'read' }, begun: 1, ended: 2, outcome }
      expect(checked(name, [last], before)).toHaveLength(1)
    }
  },
)

describe('the checker', () => {
  type Line = [client: number, begun: number, ended: number | undefined, step: Step, outcome?: Outcome]
  const history = (...lines: Line[]): Operation[] =>
    lines.map(([client, begun, ended, step, outcome]) => ({
      id: begun,
      client,
      step,
      begun,
      ...(ended !== undefined && { ended }),
      ...(outcome !== undefined && { outcome }),
    }))
  const read: Step = { kind: 'read' }
  const put = (value: number): Step => ({ kind: 'put', value })
  const swap = (value: number, expected: number): Step => ({ kind: 'swap', value, expected })
  const found = (value: number, generation: number): Outcome => ({ is: 'found', value, generation })
  const written = (generation: number): Outcome => ({ is: 'written', generation, created: generation === 1 })
  const one: State = { value: 1, generation: 1 }

  test.each<[string, State[], Operation[], State[]]>([
    [
      'a write and a read of it',
      [undefined],
      history([0, 1, 2, put(1), written(1)], [1, 3, 4, read, found(1, 1)]),
      [one],
    ],
    [
      'a read beside a write, of either',
      [one],
      history([0, 1, 6, put(2), written(2)], [1, 2, 3, read, found(1, 1)], [1, 4, 5, read, found(2, 2)]),
      [{ value: 2, generation: 2 }],
    ],
    ['a write without an answer', [one], history([0, 1, undefined, put(2)]), [one, { value: 2, generation: 2 }]],
    [
      'a write without an answer that was read',
      [one],
      history([0, 1, undefined, put(2)], [1, 2, 3, read, found(2, 2)]),
      [{ value: 2, generation: 2 }],
    ],
    [
      'two swaps, one of which loses',
      [one],
      history([0, 1, 3, swap(2, 1), written(2)], [1, 2, 4, swap(3, 1), { is: 'mismatch' }]),
      [{ value: 2, generation: 2 }],
    ],
    [
      'a delete, and a write after it',
      [one],
      history([0, 1, 2, { kind: 'delete' }, { is: 'removed' }], [1, 3, 4, put(2), written(1)]),
      [{ value: 2, generation: 1 }],
    ],
    ['a refused write', [one], history([0, 1, 2, put(2), { is: 'refused' }], [1, 3, 4, read, found(1, 1)]), [one]],
  ])('takes %s', (_, before, operations, states) => {
    expect(check(operations, before)).toEqual(states)
  })

  test.each<[string, State[], Operation[]]>([
    ['a value that was never written', [one], history([0, 1, 2, read, found(7, 1)])],
    ['an acknowledged write that vanished', [{ value: 2, generation: 2 }], history([0, 1, 2, read, found(1, 1)])],
    ['a record that vanished', [one], history([0, 1, 2, read, { is: 'absent' }])],
    ['a delete that was taken back', [undefined], history([0, 1, 2, read, found(1, 1)])],
    ['a stale read', [one], history([0, 1, 2, put(2), written(2)], [1, 3, 4, read, found(1, 1)])],
    [
      'a read of a write under way that is taken back',
      [one],
      history([0, 1, undefined, put(2)], [1, 2, 3, read, found(2, 2)], [2, 4, 5, read, found(1, 1)]),
    ],
    ['a lost update', [one], history([0, 1, 3, swap(2, 1), written(2)], [1, 2, 4, swap(3, 1), written(2)])],
    [
      'a condition that rests on a generation that is not there',
      [one],
      history([0, 1, 2, swap(2, 1), { is: 'mismatch' }]),
    ],
    [
      'a refused write that is read',
      [one],
      history([0, 1, 2, put(2), { is: 'refused' }], [1, 3, 4, read, found(2, 2)]),
    ],
    [
      'a write that begins after its value was read',
      [one],
      history([0, 3, 4, put(2), written(2)], [1, 1, 2, read, found(2, 2)]),
    ],
    ['a generation left out', [one], history([0, 1, 2, put(2), written(3)])],
    ['a create of what is there', [one], history([0, 1, 2, { kind: 'create', value: 2 }, written(2)])],
  ])('finds %s', (_, before, operations) => {
    expect(() => check(operations, before)).toThrow(Fault)
  })

  test('takes dozens of writes without an answer, as many as the generation tells, if nobody looks afterwards', () => {
    const open = Array.from({ length: 40 }, (_, at): Line => [at, at + 1, undefined, put(at + 10)])
    const rest = (generation: number): Line[] => [
      [50, 50, 51, put(2), written(generation)],
      [50, 52, 53, read, found(2, generation)],
      [51, 54, undefined, { kind: 'delete' }],
      [50, 55, 56, read, { is: 'absent' }],
    ]
    expect(check(history(...open, ...rest(30)), [one], true)).toContainEqual(undefined)
    expect(() => check(history(...open, ...rest(43)), [one], true)).toThrow(Fault)
  })
})
