// Most connections of all clients, and of one address. One more takes the place of one that has nothing at work, so that
// clients that only hold connections keep nobody out.
import type { Server } from 'node:http'
import { BlockList, isIP, type Socket } from 'node:net'
import { networkOf } from '../auth/network.js'
import type { Config } from '../config.js'
import { errorTable } from '../error-table.js'
import { answering } from './answering.js'
import { GatewayError, toFailure, toProblem } from '../errors.js'
import { openFilesMax } from '../files/open-files.js'
import type { GatewayUse } from '../schemas/server/gateway.js'
import { type Counts, LocalCounts } from './counts.js'
import { StreamSocket } from './http2/stream-socket.js'
import { type Connection, Ring } from './ring.js'
import { unsentOf } from './unsent.js'

/** Most connections if the configuration says nothing, and the process may open enough files. */
const USUAL = 16_384
/** Of the files that the process may open; the others are for data. */
const FILES_SHARE = 0.5
/** Of all connections. */
const ADDRESS_SHARE = 0.5

/** How often it is looked whether answers move. */
const LOOK_MS = 5000

type Limits = Pick<Config, 'connectionsMax' | 'connectionsPerAddressMax' | 'trustedProxies' | 'readerPatienceMs'>

/** Connections of several threads that are counted together. */
export interface Together {
  counts: Counts
  /** Another thread closes one that has nothing at work; false: none has one. `network` empty: of any client. */
  makeRoom: (network: string) => Promise<boolean>
  /** Files that the process may open for connections. */
  files: number
}

/** The name by which all connections count. No network is called so. */
const ALL = ''

export class Connections {
  readonly #limits: Limits
  readonly #most: number
  readonly #mostOfOne: number
  readonly #proxies: BlockList
  readonly #counts: Counts
  readonly #together: Together | undefined
  readonly #all = new Ring()
  readonly #byNetwork = new Map<string, Ring>()
  /** With TLS: those without a handshake, by the address and port of the client. */
  readonly #shaking = new Map<string, Connection>()
  #closed = 0
  #refused = 0
  #looks: NodeJS.Timeout | undefined

  constructor(limits: Limits, together?: Together) {
    const { connectionsMax, connectionsPerAddressMax, trustedProxies } = limits
    this.#limits = limits
    const files = together?.files ?? openFilesMax()
    this.#counts = together?.counts ?? new LocalCounts()
    this.#together = together
    this.#most = connectionsMax ?? Math.min(USUAL, Math.floor(files * FILES_SHARE))
    this.#mostOfOne = connectionsPerAddressMax ?? Math.max(1, Math.floor(this.#most * ADDRESS_SHARE))
    this.#proxies = listOf(trustedProxies)
  }

  /** Begins to look which answers move. */
  open(): void {
    this.#looks = setInterval(() => this.look(performance.now()), LOOK_MS).unref()
  }

  close(): void {
    clearInterval(this.#looks)
  }

  /** Ends connections of which nothing moves, though an answer waits, for as long as a client may read nothing. */
  look(nowMs: number): void {
    const { readerPatienceMs } = this.#limits
    if (readerPatienceMs === 0) return
    for (const connection of this.#all) {
      const { socket } = connection
      // Streams of HTTP/2 have an end of their own; what is stuck is the connection below them.
      if (socket instanceof StreamSocket) continue
      connection.unsent = unsentOf(socket, connection.unsent, nowMs)
      if (connection.unsent !== undefined && nowMs - connection.unsent.sinceMs >= readerPatienceMs) socket.destroy()
    }
  }

  /** Counts the connections of `server`; `secure`: it is one of HTTPS. */
  watch(server: Server, secure: boolean): void {
    server.on('connection', (socket: Socket) => this.#admit(socket, secure))
    if (secure) server.on('secureConnection', (socket: Socket) => this.#shaken(socket))
  }

  /**
   * Counts a connection in memory, of a stream of HTTP/2. Returns false if it is refused; then it has its answer.
   */
  enter(socket: StreamSocket): boolean {
    return this.#admit(socket, false)
  }

  figures(): GatewayUse['connections'] {
    return { open: this.#counts.count(ALL), closed: this.#closed, refused: this.#refused }
  }

  /** Whether it is served. */
  #admit(socket: Socket, secure: boolean): boolean {
    const network = this.#networkOf(socket)
    const ring = network === undefined ? undefined : this.#ringOf(network)
    const full = this.#enter(network, ring)
    if (full !== undefined && this.#together === undefined) {
      this.#refused += 1
      if (ring?.size === 0 && network !== undefined) this.#byNetwork.delete(network)
      refuse(socket, secure)
      return false
    }
    const connection: Connection = { socket, network, seen: 0 }
    this.#all.add(connection)
    ring?.add(connection)
    const place = secure ? placeOf(socket) : undefined
    if (place !== undefined) this.#shaking.set(place, connection)
    if (full !== undefined) void this.#stayIfOthersMakeRoom(connection, full, secure)
    socket.once('close', () => {
      if (place !== undefined) this.#shaking.delete(place)
      this.#forget(connection)
    })
    return true
  }

  /** From now on, the encrypted socket says what is at work. */
  #shaken(socket: Socket): void {
    const place = placeOf(socket)
    // A client that has no address any more has reset the connection, of which Node may hear nothing.
    if (place === undefined && socket.localPort !== undefined) socket.destroy()
    const connection = place === undefined ? undefined : this.#shaking.get(place)
    if (place === undefined || connection === undefined) return
    this.#shaking.delete(place)
    connection.socket = socket
    connection.seen = 0
    socket.once('close', () => this.#forget(connection))
  }

  /** For another thread: closes a connection that has nothing at work, if there are too many and there is one here. */
  makeRoom(network: string): boolean {
    // Several asked before the first of them had its answer: one that made room by its own means needs no other.
    const most = network === ALL ? this.#most : this.#mostOfOne
    if (this.#counts.count(network) <= most) return true
    const ring = network === ALL ? this.#all : this.#byNetwork.get(network)
    return ring !== undefined && this.#makeRoom(ring)
  }

  /** Counts one more. Returns what is full; with other threads, it counts there all the same until they have made room. */
  #enter(network: string | undefined, ring: Ring | undefined): string | undefined {
    const fitsOne = network === undefined || ring === undefined || this.#take(network, this.#mostOfOne, ring)
    if (!fitsOne && this.#together === undefined) return network
    const fitsAll = this.#take(ALL, this.#most, this.#all)
    if (!fitsAll && network !== undefined && this.#together === undefined) this.#counts.leave(network)
    if (!fitsOne) return network
    return fitsAll ? undefined : ALL
  }

  #take(name: string, most: number, ring: Ring): boolean {
    if (this.#counts.enter(name, most)) return true
    // With the connections of other threads there may be too many by more than one. Idle ones of this thread go first.
    while (this.#makeRoom(ring)) if (this.#counts.enter(name, most)) return true
    if (this.#together !== undefined) this.#counts.enter(name, Infinity)
    return false
  }

  async #stayIfOthersMakeRoom(connection: Connection, full: string, secure: boolean): Promise<void> {
    if ((await this.#together?.makeRoom(full)) === true || !this.#all.has(connection)) return
    this.#refused += 1
    this.#forget(connection)
    if ((answering(connection.socket) ?? null) === null) refuse(connection.socket, secure)
    else connection.socket.destroy()
  }

  #makeRoom(ring: Ring): boolean {
    const idle = ring.idle()
    if (idle === undefined) return false
    this.#closed += 1
    this.#forget(idle)
    if (idle.socket instanceof StreamSocket) idle.socket.cutOff()
    else idle.socket.destroy()
    return true
  }

  #forget(connection: Connection): void {
    if (!this.#all.delete(connection)) return
    this.#counts.leave(ALL)
    const { network } = connection
    if (network === undefined) return
    this.#counts.leave(network)
    const ring = this.#byNetwork.get(network)
    ring?.delete(connection)
    if (ring?.size === 0) this.#byNetwork.delete(network)
  }

  /** Clients of a Unix socket and those behind a trusted proxy have no address of their own here. */
  #networkOf({ remoteAddress: address = '' }: Socket): string | undefined {
    const family = isIP(address)
    if (family === 0 || this.#proxies.check(address, family === 4 ? 'ipv4' : 'ipv6')) return undefined
    return networkOf(address)
  }

  #ringOf(network: string): Ring {
    const ring = this.#byNetwork.get(network) ?? new Ring()
    this.#byNetwork.set(network, ring)
    return ring
  }
}

function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', bits] = network.split('/')
    const type = isIP(address) === 4 ? 'ipv4' : 'ipv6'
    if (bits === undefined) list.addAddress(address, type)
    else list.addSubnet(address, Number(bits), type)
  }
  return list
}

const placeOf = ({ remoteAddress, remotePort }: Socket): string | undefined =>
  remotePort === undefined ? undefined : `${remoteAddress ?? ''} ${remotePort}`

const { status, title } = errorTable.too_many_connections
const problem = toProblem(
  toFailure(new GatewayError('too_many_connections', `${title}: all of them have requests at work`)),
  { url: '', id: '' },
)
const body = JSON.stringify(problem)
const ANSWER =
  `HTTP/1.1 ${status} Service Unavailable\r\ncontent-type: application/problem+json\r\nretry-after: 1\r\n` +
  `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`

function refuse(socket: Socket, secure: boolean): void {
  // Before the handshake, nobody could read it.
  if (secure) socket.destroy()
  else {
    socket.on('error', () => socket.destroy())
    socket.end(ANSWER)
    socket.destroySoon()
  }
}
