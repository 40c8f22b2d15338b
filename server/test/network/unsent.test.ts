// Answers that nobody takes: connections on which nothing moves end, and no others.
import { EventEmitter } from 'node:events'
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { Connections } from '../../src/network/connections.js'

const PATIENCE_MS = 60_000

/** A connection whose other side takes what is written when the test says so. */
class Stuck extends Duplex {
  readonly waiting: (() => void)[] = []

  override _read(): void {
    // Its client sends nothing.
  }

  override _write(_bytes: Buffer, _encoding: string, done: () => void): void {
    this.waiting.push(done)
  }
}

function connected(readerPatienceMs = PATIENCE_MS): { connections: Connections; socket: Stuck } {
  const connections = new Connections({
    connectionsMax: 10,
    connectionsPerAddressMax: 10,
    trustedProxies: [],
    readerPatienceMs,
  })
  const server = new EventEmitter()
  connections.watch(server as Server, false)
  const socket = new Stuck()
  server.emit('connection', socket as unknown as Socket)
  return { connections, socket }
}

describe('an answer that nobody takes', () => {
  test('ends its connection once a client may not read nothing for longer', () => {
    const { connections, socket } = connected()
    socket.write('an answer')
    connections.look(0)
    connections.look(PATIENCE_MS - 1)
    expect(socket.destroyed).toBe(false)
    connections.look(PATIENCE_MS)
    expect(socket.destroyed).toBe(true)
  })

  test('does not if some of it is taken', () => {
    const { connections, socket } = connected()
    socket.write('an answer')
    socket.write('another one')
    connections.look(0)
    socket.waiting.shift()?.()
    connections.look(PATIENCE_MS)
    expect(socket.destroyed).toBe(false)
    connections.look(2 * PATIENCE_MS)
    expect(socket.destroyed).toBe(true)
  })

  test('does not if all of it is taken, however long nothing follows', () => {
    const { connections, socket } = connected()
    socket.write('an answer')
    connections.look(0)
    socket.waiting.shift()?.()
    connections.look(1)
    connections.look(9 * PATIENCE_MS)
    expect(socket.destroyed).toBe(false)
  })

  test('waits for ever if clients may', () => {
    const { connections, socket } = connected(0)
    socket.write('an answer')
    connections.look(0)
    connections.look(9 * PATIENCE_MS)
    expect(socket.destroyed).toBe(false)
  })
})
