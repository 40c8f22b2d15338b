// What is done to the gateway while its clients go on. Each fault ends with a gateway that serves.
import { writeFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { setTimeout } from 'node:timers/promises'
import { connect, type TLSSocket } from 'node:tls'
import type { Random } from '../gateway/random.ts'
import { type Certificate, makeCertificate, place } from './certificates.ts'
import type { Clock } from './clock.ts'
import type { Disk } from './disk.ts'
import type { Report } from './report.ts'
import type { Running, Server } from './server.ts'

/** How long a fault stays, ms. */
const STAYS = 4000

/** Large records that a full disk is given, at most, until it refuses one; and the bytes of each. */
const LARGE_MOST = 100
const LARGE_BYTES = 200_000

export class Faults {
  readonly #server: Server
  readonly #random: Random
  readonly #report: Report
  readonly #home: string
  readonly #config: string
  readonly #disk: Disk | undefined
  readonly #clock: Clock | undefined
  readonly #restarted: () => void
  /** Names of the namespaces on the disk. */
  readonly #spaces: readonly string[]
  #certificate: Certificate | undefined
  #streams = 128
  #pressed = 0
  /** Paths of the large records that are to go again. */
  #large: string[] = []

  constructor(
    { server, random, report }: { server: Server; random: Random; report: Report },
    { home, config }: { home: string; config: string },
    { disk, clock }: { disk: Disk | undefined; clock: Clock | undefined },
    restarted: () => void,
    spaces: readonly string[],
  ) {
    this.#spaces = spaces
    this.#server = server
    this.#random = random
    this.#report = report
    this.#home = home
    this.#config = config
    this.#disk = disk
    this.#clock = clock
    this.#restarted = restarted
  }

  /** Those that end the process. */
  get ends(): readonly (() => Promise<void>)[] {
    return [this.kill, this.killTwice, this.stop, ...(this.#disk === undefined ? [] : [this.killWhileFull])]
  }

  /** Those that it has to survive. */
  get stays(): readonly (() => Promise<void>)[] {
    const always = [this.certificate, this.reload, this.wrongReload]
    const full = this.#disk === undefined ? [] : [this.full]
    return [...always, ...full, ...(this.#clock === undefined ? [] : [this.clockAhead, this.clockBack])]
  }

  readonly kill = async (): Promise<void> => {
    this.#tell('kill')
    await this.#server.end('SIGKILL')
    await this.#start()
  }

  /** The second blow falls while the files are read. */
  readonly killTwice = async (): Promise<void> => {
    this.#tell('kill, and a kill of the start')
    await this.#server.end('SIGKILL')
    const starting = this.#server.launch().catch(() => undefined)
    await setTimeout(200 + this.#random.below(1200))
    const running = await starting
    running?.kill('SIGKILL')
    await running?.ended()
    await this.#start()
  }

  readonly stop = async (): Promise<void> => {
    this.#tell('stop')
    const code = await this.#server.end('SIGTERM')
    if (code !== 0) this.#report.fault(`a stop ended with ${code}`)
    await this.#start()
  }

  readonly full = async (): Promise<void> => {
    const disk = await this.#full()
    await setTimeout(STAYS)
    disk?.free()
    await this.#serves()
    await this.#relieve()
  }

  /** Now and then the start finds the disk still full. */
  readonly killWhileFull = async (): Promise<void> => {
    const disk = await this.#full()
    await setTimeout(STAYS / 2)
    await this.#server.end('SIGKILL')
    if (this.#random.below(2) === 0) disk?.free()
    else this.#report.count('starts on a full disk')
    await this.#start()
    await setTimeout(STAYS / 2)
    disk?.free()
    await this.#serves()
    await this.#relieve()
  }

  async #full(): Promise<Disk | undefined> {
    const taken = this.#disk?.fill() ?? 0
    this.#tell('full disk', `${(taken / 1024 ** 2).toFixed(0)} MiB taken`)
    for (const space of this.#spaces) await this.#press(space)
    return this.#disk
  }

  /** What is free inside the files is used up first, so it may take a while until the disk is noticed. */
  async #press(space: string): Promise<void> {
    const running = this.#server.now
    const body = JSON.stringify({ large: 'x'.repeat(LARGE_BYTES) })
    for (let n = 0; n < LARGE_MOST; n += 1) {
      this.#pressed += 1
      const path = `/api/v1/namespaces/${space}/sets/large/records/${this.#pressed}`
      this.#large.push(path)
      const answer = await running?.ask('PUT', path, body)
      if (answer === undefined || answer.status < 300) continue
      this.#report.count(`full disk told by ${space}: ${(JSON.parse(answer.body) as { code: string }).code}`)
      return
    }
    this.#report.count(`full disk not noticed by ${space}`)
  }

  /** Deletes the large records. Those that the gateway still refuses to delete go the next time. */
  async #relieve(): Promise<void> {
    const left: string[] = []
    for (const path of this.#large) {
      const status = await this.#server.now?.ask('DELETE', path).then((answer) => answer.status)
      if (status === undefined || (status >= 300 && status !== 404)) left.push(path)
    }
    this.#large = left
  }

  readonly clockAhead = (): Promise<void> => this.#jump('clock ahead', 1)
  readonly clockBack = (): Promise<void> => this.#jump('clock back', -1)

  async #jump(name: string, sign: number): Promise<void> {
    const seconds = sign * this.#random.of([5, 900, 7200, 200_000])
    this.#tell(name, `${seconds} s`)
    this.#clock?.jump(seconds)
    await this.#serves()
    await setTimeout(STAYS)
    this.#clock?.jump(0)
    await this.#serves()
  }

  readonly certificate = async (): Promise<void> => {
    this.#tell('certificate')
    const running = this.#server.now
    if (running === undefined) return
    const agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false })
    const old = await health(running, agent)
    this.#certificate = await makeCertificate()
    place(this.#home, this.#certificate)
    running.kill('SIGHUP')
    await this.#until('new connections have the new certificate', running, async () => {
      return (await fingerprint(running)) === this.#certificate?.fingerprint
    })
    const kept = await health(running, agent)
    agent.destroy()
    const isSame = kept.port === old.port && kept.fingerprint === old.fingerprint
    if (kept.status !== 200 || !isSame) this.#report.fault(`a connection of before: ${JSON.stringify({ old, kept })}`)
  }

  readonly reload = async (): Promise<void> => {
    this.#streams = 64 + this.#random.below(64)
    this.#tell('reload', `streams ${this.#streams}`)
    const running = this.#server.now
    if (running === undefined) return
    this.#configure()
    running.kill('SIGHUP')
    await this.#until('the new setting holds', running, async () => (await setting(running)) === String(this.#streams))
  }

  readonly wrongReload = async (): Promise<void> => {
    this.#tell('wrong reload')
    const running = this.#server.now
    if (running === undefined) return
    writeFileSync(this.#config, '{ "streams": "many", ')
    running.kill('SIGHUP')
    await setTimeout(1000)
    const value = await setting(running)
    if (value !== String(this.#streams)) this.#report.fault(`after a wrong reload streams are ${value}`)
    this.#configure()
    running.kill('SIGHUP')
    await this.#serves()
  }

  /** Writes the configuration as it should be. */
  async prepare(): Promise<void> {
    this.#configure()
    place(this.#home, await makeCertificate())
  }

  #configure(): void {
    writeFileSync(this.#config, JSON.stringify({ streams: this.#streams }))
  }

  #tell(name: string, detail = ''): void {
    this.#report.count(`did: ${name}`)
    this.#report.tell(`${name}${detail === '' ? '' : ` (${detail})`}`)
  }

  async #start(): Promise<void> {
    this.#restarted()
    const running = await this.#server.start()
    this.#report.tell(`process ${running.number} serves`)
    await this.#namespaces(running)
  }

  /** Every namespace has come back. */
  async #namespaces(running: Running): Promise<void> {
    const { body } = await running.ask('GET', '/api/v1/namespaces')
    const { items } = JSON.parse(body) as { items: { name: string; state: string; error?: unknown }[] }
    const absent = items.filter(({ state }) => state !== 'ready')
    if (items.length === 0 || absent.length > 0) this.#report.fault(`namespaces after a start: ${body}`)
  }

  async #serves(): Promise<void> {
    const running = this.#server.now
    if (running === undefined) throw new Error('the gateway has ended by itself')
    await this.#until('it answers', running, async () => (await running.ask('GET', '/healthz')).status === 200)
  }

  async #until(what: string, running: Running, holds: () => Promise<boolean>): Promise<void> {
    const until = Date.now() + 120_000
    while (!(await holds().catch(() => false))) {
      if (!running.isAlive) throw new Error(`the gateway has ended by itself, before this held: ${what}`)
      if (Date.now() > until) {
        this.#report.fault(`not in two minutes: ${what}`)
        return
      }
      await setTimeout(100)
    }
  }
}

async function setting(running: Running): Promise<string | undefined> {
  const { body } = await running.ask('GET', '/api/v1/config')
  const { settings } = JSON.parse(body) as { settings: { key: string; value: string }[] }
  return settings.find(({ key }) => key === 'streams')?.value
}

/** Of a new connection. */
function fingerprint({ port }: Running): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().fingerprint256)
      socket.destroy()
    })
    socket.once('error', reject)
  })
}

interface Health {
  status: number | undefined
  port: number | undefined
  fingerprint: string
}

function health({ port }: Running, agent: Agent): Promise<Health> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path: '/healthz', agent }, (answer) => {
      const socket = answer.socket as TLSSocket
      const told = {
        status: answer.statusCode,
        port: socket.localPort,
        fingerprint: socket.getPeerCertificate().fingerprint256,
      }
      answer.resume().once('end', () => resolve(told))
    })
    asked.once('error', reject)
    asked.end()
  })
}
