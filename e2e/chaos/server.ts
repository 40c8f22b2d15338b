// The gateway under test: its process of the moment, and how clients reach it over kept connections of HTTPS.
import { type ChildProcess, spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { createWriteStream, readFileSync, type WriteStream } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { environment } from '../gateway/gateway.ts'
import { certificatePath, keyPath } from './certificates.ts'

const entry = fileURLToPath(new URL('../../server/dist/server.js', import.meta.url))

export interface Answer {
  readonly status: number
  readonly body: string
}

/** One process of the gateway. A request of it never reaches a later one, because each has a port of its own. */
export class Running {
  readonly #child: ChildProcess
  readonly #agent = new Agent({ keepAlive: true, maxSockets: Infinity, rejectUnauthorized: false, timeout: 120_000 })
  readonly number: number
  readonly port: number
  readonly token: string
  isReady = false

  constructor(number: number, child: ChildProcess, port: number, token: string) {
    this.number = number
    this.#child = child
    this.port = port
    this.token = token
  }

  get pid(): number {
    return this.#child.pid ?? -1
  }

  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  /** The exit code; null after a kill. */
  async ended(): Promise<number | null> {
    if (this.isAlive) await once(this.#child, 'exit')
    this.#agent.destroy()
    return this.#child.exitCode
  }

  /** The head of the answer. */
  open(
    method: string,
    path: string,
    body?: string,
    type = 'application/json',
    accept?: string,
  ): Promise<IncomingMessage> {
    const headers: Record<string, string | number> = { authorization: `Bearer ${this.token}` }
    if (accept !== undefined) headers['accept'] = accept
    if (body !== undefined) Object.assign(headers, { 'content-type': type, 'content-length': Buffer.byteLength(body) })
    return new Promise((resolve, reject) => {
      const place = { host: '127.0.0.1', port: this.port, method, path, headers, agent: this.#agent }
      const asked = request(place, (answer) => {
        // Whoever has stopped reading does not ask how it ended.
        answer.on('error', () => undefined)
        resolve(answer)
      })
      asked.once('error', reject)
      asked.end(body)
    })
  }

  async ask(method: string, path: string, body?: string, type?: string): Promise<Answer> {
    const answer = await this.open(method, path, body, type)
    return { status: answer.statusCode ?? 0, body: await text(answer) }
  }
}

export interface Place {
  readonly home: string
  readonly data: string
  readonly config: string
  /** What stands before the command of the gateway. */
  readonly enter: readonly string[]
  readonly variables: Readonly<Record<string, string>>
}

export class Server {
  readonly #place: Place
  readonly #log: WriteStream
  readonly #told = new EventEmitter().setMaxListeners(0)
  #running: Running | undefined
  #count = 0

  constructor(place: Place, log: string) {
    this.#place = place
    this.#log = createWriteStream(log)
  }

  /** The process that serves, or undefined while there is none. */
  get now(): Running | undefined {
    return this.#running?.isReady === true && this.#running.isAlive ? this.#running : undefined
  }

  /** The process that runs, also if it does not serve yet. */
  get process(): Running | undefined {
    return this.#running
  }

  /** Waits for a process that serves, or for the end of the test. */
  async ready(isOver: () => boolean): Promise<Running | undefined> {
    for (;;) {
      if (isOver()) return undefined
      if (this.now !== undefined) return this.now
      await Promise.race([once(this.#told, 'ready'), setTimeout(200)])
    }
  }

  /** Resolves when it listens; `serve` waits until it serves. */
  async launch(): Promise<Running> {
    const { home, data, config, enter, variables } = this.#place
    const command = [...enter, process.execPath, entry, '--config', config, '--data', data, '--port', '0']
    const child = spawn(command[0] ?? '', command.slice(1), {
      cwd: home,
      env: {
        ...environment,
        TESSERA_TLS_CERT: certificatePath(home),
        TESSERA_TLS_KEY: keyPath(home),
        // Clients wait for a busy machine, and are late themselves.
        TESSERA_OVERLOAD_DELAY: '10s',
        TESSERA_HEAD_TIMEOUT: '2m',
        ...variables,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#count += 1
    const number = this.#count
    this.#log.write(`=== process ${number}, ${child.pid}, at ${new Date().toISOString()}\n`)
    let seen = ''
    const port = await new Promise<number>((resolve, reject) => {
      const collect = (chunk: Buffer): void => {
        this.#log.write(chunk)
        if (seen.length > 65_536) return
        seen += chunk.toString()
        const link = /https:\/\/\S+?:(\d+)\/login\S*/.exec(seen)?.[1]
        if (link !== undefined) resolve(Number(link))
      }
      child.stdout.on('data', collect)
      child.stderr.on('data', collect)
      child.once('error', reject)
      child.once('exit', (code, signal) =>
        reject(new Error(`the gateway ended with ${code ?? signal} before it listened:\n${seen}`)),
      )
    })
    this.#running = new Running(number, child, port, this.#token(child.pid ?? -1, data))
    return this.#running
  }

  async serve(running: Running): Promise<void> {
    while (running.isAlive) {
      const { status, body } = await running.ask('GET', '/readyz').catch(() => ({ status: 0, body: '{}' }))
      if (status !== 0 && (JSON.parse(body) as { state?: string }).state !== 'starting') break
      await setTimeout(20)
    }
    running.isReady = true
    this.#told.emit('ready')
  }

  #token(pid: number, data: string): string {
    return readFileSync(join(`/proc/${pid}/root`, data, 'admin.token'), 'utf8').trim()
  }

  async start(): Promise<Running> {
    const running = await this.launch()
    await this.serve(running)
    return running
  }

  /** Ends the process; its exit code. Nothing new is sent to it from here on. */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    const running = this.#running
    if (running === undefined) return null
    running.isReady = false
    running.kill(signal)
    return running.ended()
  }
}
