// Most connections of several threads: one makes room for another, and closes no more than are too many.
import { createServer } from 'node:http'
import { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { readConfig } from '../../src/config.js'
import { Connections } from '../../src/network/connections.js'
import { LocalCounts } from '../../src/network/counts.js'

const MOST = 8

test('many questions at once close only as many connections as are too many', async () => {
  const { one, other, asked, answerAll } = two()
  const first = connect(one, MOST)
  expect(asked).toHaveLength(0)
  const second = connect(other, 20)
  await answerAll()
  expect(left(second) + left(first)).toBe(MOST)
  expect(left(first)).toBeGreaterThan(0)
  expect(one.figures().open).toBe(MOST)
})

test('a thread with idle connections of its own closes none of another', async () => {
  const { one, other, answerAll } = two()
  const first = connect(one, MOST)
  const [last] = connect(other, 1)
  connect(one, 1)
  await answerAll()
  expect(left(first)).toBe(MOST - 2)
  expect(last?.destroyed).toBe(false)
})

/** Two threads. What each asks of the other is answered when the test says so. */
function two(): { one: Connections; other: Connections; asked: unknown[]; answerAll: () => Promise<void> } {
  const limits = { ...readConfig([], {}), connectionsMax: MOST, connectionsPerAddressMax: MOST }
  const counts = new LocalCounts()
  const asked: (() => void)[] = []
  const ask = (of: () => Connections) => (network: string) =>
    new Promise<boolean>((resolve) => asked.push(() => resolve(of().makeRoom(network))))
  const one: Connections = new Connections(limits, { counts, files: 1000, makeRoom: ask(() => other) })
  const other: Connections = new Connections(limits, { counts, files: 1000, makeRoom: ask(() => one) })
  const answerAll = async (): Promise<void> => {
    for (const answer of asked.splice(0)) answer()
    await new Promise(setImmediate)
  }
  return { one, other, asked, answerAll }
}

const left = (all: readonly Socket[]): number => all.filter(({ destroyed }) => !destroyed).length

function connect(to: Connections, count: number): Socket[] {
  const server = createServer()
  to.watch(server, false)
  const sockets = Array.from({ length: count }, () => new Socket())
  for (const socket of sockets) server.emit('connection', socket)
  return sockets
}
