// Opens the engine, listens, prints the address, and closes without losing a request.
import closeWithGrace from 'close-with-grace'
import type { AddressInfo } from 'node:net'
import { buildApp } from './app.js'
import type { App } from './app-types.js'
import { Access } from './auth/access.js'
import { loginUrl } from './auth/login.js'
import { loadToken } from './auth/token.js'
import { type Config, helpText, readConfig, wantsHelp } from './config.js'
import type { Engine } from './engines/engine.js'
import { openNativeEngine } from './engines/native.js'
import { makeDataDirectory } from './files/data-directory.js'
import { historyNotices } from './overload/use.js'

const CLOSE_DELAY_MS = 15_000
/**
 * Connections that wait to be accepted. Node's 511 are too few for a burst: a client without a
 * place retries after 1, 3 and 7 s.
 */
const BACKLOG = 4096

export async function main(args: readonly string[]): Promise<void> {
  if (wantsHelp(args)) {
    console.log(helpText())
    return
  }
  const config = readConfig(args, process.env)
  await makeDataDirectory(config.dataDirectory)
  const access = new Access(await loadToken(config.dataDirectory))
  const engine = await openNativeEngine(config)
  const app = await buildApp({ config, engine, access })
  closeWithGrace({ delay: CLOSE_DELAY_MS, logger: app.log }, async ({ err }) => {
    if (err !== undefined) app.log.fatal({ err }, 'closing because of a failure')
    await app.close()
  })
  try {
    await app.listen({ host: config.host, port: config.port, backlog: BACKLOG })
  } catch (error) {
    await app.close()
    throw error
  }
  announce(app, config)
  await report(app, engine)
}

/** The login code appears here and nowhere else: the log has no credentials. */
function announce(app: App, config: Config): void {
  const { port } = app.server.address() as AddressInfo
  const host = config.host.includes(':') ? `[${config.host}]` : config.host
  const origin = `http://${host}:${port}`
  const open = config.auth ? loginUrl(origin, app.access.newCode().secret) : `${origin} (no authentication)`
  console.log(`\nTessera listens on ${origin}, data in ${config.dataDirectory}\nOpen ${open}\n`)
}

/** Prints what is not served yet, and what will not be served. */
async function report(app: App, engine: Engine): Promise<void> {
  const { recovering, progress } = await engine.status()
  if (recovering) {
    const names = progress.map(({ namespace }) => namespace).join(', ')
    console.log(`Recovering ${names}. Their calls answer 503 until then. /readyz shows the progress.`)
    await engine.settled()
    if (!app.server.listening) return
    console.log('Recovery is done.')
  }
  const status = await engine.status()
  for (const { namespace, message } of status.notices) console.warn(`${namespace}: ${message}`)
  for (const { message } of historyNotices(status)) console.warn(message)
  for (const { id, bytes, files, namespace, reason } of await engine.orphans()) {
    const what = namespace === undefined ? '' : `, with the namespace ${namespace.config.name},`
    const how = reason === undefined ? 'adopt or delete it in the console' : reason
    console.warn(`The folder namespaces/${id} (${files} files, ${bytes} bytes)${what} is not in the manifest: ${how}.`)
  }
}
