// The workers of a server: threads that accept connections and answer requests for records. The main thread starts them, answers
// what they hand over, and says who has a token. One that ends is started again.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import type { RequestListener } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { App } from '../app-types.js'
import type { Config } from '../config.js'
import { closeSockets, openSockets } from '../engines/shared.js'
import { FILES_LEAST, openFilesMax } from '../files/open-files.js'
import { effectiveLimits } from '../limits/effective.js'
import type { CallsOfMain, OwnerAnswer, WorkerFigures, Workers } from './calls.js'
import { countsOf, NO_FIGURES, together } from './figures.js'
import { asClient, type Inside } from './inside.js'
import { WorkerThread } from './worker-thread.js'

const SECRET_BYTES = 32

export interface CrewOptions {
  /** The module that a worker begins with. */
  entry: URL
  /** By which threads attach to the engine. */
  handle: number
  /** Connections that wait to be accepted, of each worker. */
  backlog: number
}

export class Crew implements Workers {
  /** Where the main thread listens. */
  readonly inside: Inside
  readonly #options: CrewOptions
  readonly #folder: string
  #threads: WorkerThread[] = []
  #app: App | undefined
  /** Of workers that have ended. */
  #past: WorkerFigures = NO_FIGURES

  static async make(options: CrewOptions): Promise<Crew> {
    // Only this user can open it.
    return new Crew(options, await mkdtemp(join(tmpdir(), 'tessera-workers-')))
  }

  private constructor(options: CrewOptions, folder: string) {
    this.#options = options
    this.#folder = folder
    this.inside = { path: join(folder, 'socket'), secret: randomBytes(SECRET_BYTES).toString('base64url') }
  }

  /** The handler to call for each request of a worker instead of `handle`. */
  takes(handle: RequestListener): RequestListener {
    return asClient(this.inside.secret, handle)
  }

  /** The workers stop with `app`, before its engine does. */
  serve(app: App): void {
    this.#app = app
    app.addHook('preClose', (done) => {
      closeSockets(this.#options.handle)
      for (const thread of this.#threads) thread.close()
      done()
    })
    app.addHook('onClose', async () => {
      await Promise.all(this.#threads.map((thread) => thread.ended()))
      await rm(this.#folder, { recursive: true, force: true })
    })
  }

  /**
   * Starts the workers, once the main thread listens. Returns the port.
   *
   * @throws Error of Node if the address cannot be listened at, or what kept a worker from its start
   */
  async listen({ host, port }: { host: string; port: number }): Promise<number> {
    const app = this.#server
    const { handle, backlog } = this.#options
    const place = await freePlace(host, port)
    openSockets(handle, place, backlog, app.config.workers)
    this.#threads = Array.from({ length: app.config.workers }, (_, at) => this.#thread(app, at))
    await startFew(this.#threads, workersAtOnce())
    return place.port
  }

  /** The server was told to stop: clients should go elsewhere. */
  stopSoon(): void {
    for (const { line } of this.#threads) line?.tell('stopSoon', undefined)
  }

  /** After a reload. */
  configure(config: Config): void {
    for (const { line } of this.#threads) line?.tell('configure', config)
  }

  renewTls(): void {
    for (const { line } of this.#threads) line?.tell('renewTls', undefined)
  }

  figures(): WorkerFigures {
    return this.#threads.map(({ figures }) => figures).reduce(together, this.#past)
  }

  get #server(): App {
    if (this.#app === undefined) throw new Error('the workers have no server')
    return this.#app
  }

  #thread(app: App, place: number): WorkerThread {
    const { config, apiTokens } = app
    const calls = (thread: WorkerThread): CallsOfMain => ({
      owner: (asked) => this.#ownerOf(asked),
      makeRoom: (network) => this.#makeRoom(network, thread),
      log: (text) => app.logTail.write(text),
      figures: (figures) => {
        thread.figures = figures
      },
      listening: () => thread.listens(),
    })
    const start = { config, handle: this.#options.handle, place, inside: this.inside, revision: apiTokens.revision }
    return new WorkerThread(this.#options.entry, start, calls, app.log, (figures) => {
      this.#past = together(this.#past, countsOf(figures))
    })
  }

  /** Callers with limits are the main thread's, where all their requests are counted. */
  #ownerOf({ address, token }: { address: string | undefined; token: string }): OwnerAnswer {
    const { access, apiTokens, guesses, config } = this.#server
    const owner = guesses.known(address, token, () => (access.isToken(token) ? 'token' : apiTokens.accept(token)))
    const limited = owner !== undefined && owner !== 'token' && effectiveLimits(config, owner.limits) !== undefined
    return { owner: limited ? undefined : owner, revision: Atomics.load(apiTokens.revision, 0) }
  }

  async #makeRoom(network: string, from: WorkerThread): Promise<boolean> {
    for (const { line } of this.#threads.filter((thread) => thread !== from)) {
      // One that has ended has closed all of its connections.
      const made = await line?.ask('makeRoom', network).catch(() => true)
      if (made === true) return true
    }
    return false
  }
}

/** Each reads about 200 modules at once. Those that start together must not need more files than the process may open. */
export const workersAtOnce = (files = openFilesMax()): number => Math.max(1, Math.floor(files / FILES_LEAST) - 1)

async function startFew(threads: readonly WorkerThread[], most: number): Promise<void> {
  for (let at = 0; at < threads.length; at += most) {
    await Promise.all(threads.slice(at, at + most).map((thread) => thread.start()))
  }
}

/** Looks as Node does whether nobody else listens there, and finds the address of a name, and a port. */
async function freePlace(host: string, port: number): Promise<{ address: string; port: number }> {
  const server = createServer()
  server.listen({ host, port })
  await once(server, 'listening')
  const place = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return place
}
