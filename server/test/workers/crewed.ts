// Workers for the gateway of a test. They run what is built, and the main thread runs the sources.
import type { App } from '../../src/app-types.js'
import type { Config } from '../../src/config.js'
import type { NativeEngine } from '../../src/engines/native.js'
import { Crew } from '../../src/workers/crew.js'

/** How many workers each gateway of these tests has; 1: none. */
const crewsOf = Number(process.env['GATEWAY_WORKERS'] ?? 1)

/** A machine that runs other tests as well is late, and that is no overload. */
export const crewedConfig = (): Partial<Config> => (crewsOf > 1 ? { workers: crewsOf, overloadDelayMs: 0 } : {})

const entry = new URL('./entry.mjs', import.meta.url)

export const crewOf = async ({ workers }: Pick<Config, 'workers'>, engine: NativeEngine): Promise<Crew | undefined> =>
  workers > 1 ? Crew.make({ entry, handle: engine.share(), backlog: 512 }) : undefined

/** Returns the port of the workers, if there are any. */
export async function listenWith(app: App, crew: Crew | undefined): Promise<number | undefined> {
  if (crew === undefined) return undefined
  await app.listen({ path: crew.inside.path })
  const port = await crew.listen({ host: '127.0.0.1', port: 0 })
  // A test that listens itself means the address that clients have.
  Object.assign(app, { listen: () => Promise.resolve(`http://127.0.0.1:${port}`) })
  Object.assign(app.server, {
    address: () => ({ address: '127.0.0.1', family: 'IPv4', port }),
    getConnections: (done: (error: null, count: number) => void) => done(null, crew.figures().connections.open),
  })
  return port
}
